"""The parts of a dataset of people in scenes: privacy, utility and practicality."""
