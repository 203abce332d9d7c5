// Runs a loop with the widest registers that the processor has. The loop is compiled once per instruction set:
//
//   return onWidest([=]() __attribute__((always_inline)) { …a loop that the compiler turns into vector code… });
//
// The closure should capture by value: pointers that are its members are loaded once.
#pragma once

namespace pelorus {

enum class Registers : unsigned char { Baseline, Avx2, Avx512 };
// Returns the widest registers of the running processor, which are detected once.
Registers widestRegisters();

template <class Loop>
[[gnu::target("avx2,bmi2,lzcnt")]] auto onAvx2(const Loop& loop) {
    return loop();
}
template <class Loop>
[[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,avx512cd,bmi2,lzcnt,prefer-vector-width=512")]] auto onAvx512(
    const Loop& loop) {
    return loop();
}

template <class Loop>
auto onWidest(const Loop& loop) {
    switch (widestRegisters()) {
        case Registers::Avx512:
            return onAvx512(loop);
        case Registers::Avx2:
            return onAvx2(loop);
        default:
            return loop();
    }
}

}  // namespace pelorus
