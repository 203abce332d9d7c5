#include "runtime/kernel/block/block_kernels.h"

namespace pelorus {

namespace isa_v2 {
void fillBlockKernels(BlockKernels& kernels);
}
namespace isa_v3 {
void fillBlockKernels(BlockKernels& kernels);
}
namespace isa_v4 {
void fillBlockKernels(BlockKernels& kernels);
}

static BlockKernels choose() {
    BlockKernels kernels{};
    __builtin_cpu_init();
    bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
    if (v4) {
        isa_v4::fillBlockKernels(kernels);
    } else if (v3) {
        isa_v3::fillBlockKernels(kernels);
    } else {
        isa_v2::fillBlockKernels(kernels);
    }
    return kernels;
}

const BlockKernels& blockKernels() {
    static const BlockKernels kernels = choose();
    return kernels;
}

}  // namespace pelorus
