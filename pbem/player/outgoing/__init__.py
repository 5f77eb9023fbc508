"""What leaves a player: joins, orders, reveals; one place signs and seals."""
