#define PELORUS_ISA isa_v3
#include "runtime/kernel/block/block_kernels_impl.h"
