"""Kills, forged files, full disks, little memory, wrong clocks and many threads: what is attacked, and what held."""
