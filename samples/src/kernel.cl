// For SPIR-V.
kernel void store(global int *cells, int value) { cells[0] = value; }
