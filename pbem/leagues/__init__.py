"""Leagues: seasons of many games, drawn, counted and rated so that anybody can check it."""
