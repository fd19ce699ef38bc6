"""Queues behind the port."""
