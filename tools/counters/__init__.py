"""Counters of code metrics over syntax trees."""
