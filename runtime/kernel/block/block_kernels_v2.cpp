#define PELORUS_ISA isa_v2
#include "runtime/kernel/block/block_kernels_impl.h"
