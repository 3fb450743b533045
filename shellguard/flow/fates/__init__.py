"""What becomes of each command's failure? The script is gone through once, with all failures at once."""
