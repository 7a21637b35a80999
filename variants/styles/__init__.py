"""Style axes, one file each, all poles of an axis in it."""
