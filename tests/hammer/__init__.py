"""What tests of every title need of Hammer of the Scots."""
