#define PELORUS_ISA isa_v4
#include "runtime/kernel/block/block_kernels_impl.h"
