// The kernels of block_kernels.h, for one instruction set: PELORUS_ISA names it. Only these files are compiled for
// newer machines, so nothing here may pull in inline functions that the linker could share with the rest of the
// program.
#include <cstdint>

#include "runtime/kernel/block/block_kernels.h"

namespace pelorus::PELORUS_ISA {

namespace {

template <class T>
constexpr bool kIsFloat = false;
template <>
constexpr bool kIsFloat<float> = true;
template <>
constexpr bool kIsFloat<double> = true;

template <class T>
struct UnsignedOf;
template <>
struct UnsignedOf<int8_t> {
    using type = uint8_t;
};
template <>
struct UnsignedOf<int16_t> {
    using type = uint16_t;
};
template <>
struct UnsignedOf<int32_t> {
    using type = uint32_t;
};
template <>
struct UnsignedOf<int64_t> {
    using type = uint64_t;
};

template <class T>
inline bool finite(T x) {
    return __builtin_fabs(static_cast<double>(x)) <= (sizeof(T) == 4 ? static_cast<double>(FLT_MAX) : DBL_MAX);
}
inline bool finite(double x) {
    return __builtin_fabs(x) <= DBL_MAX;
}

// Returns the result of a float operation: NULL when an operand is NULL, and for overflow and invalid operations.
template <class T>
inline T settled(T a, T b, T r) {
    bool isNullResult = (a == null<T>) | (b == null<T>) | (!finite(r) & finite(a) & finite(b));
    return isNullResult ? null<T> : r;
}

template <class T>
struct Add {
    T operator()(T a, T b) const {
        if constexpr (kIsFloat<T>) {
            return settled<T>(a, b, a + b);
        } else {
            using U = typename UnsignedOf<T>::type;
            T r = static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
            return (a == null<T>) | (b == null<T>) ? null<T> : r;
        }
    }
};
template <class T>
struct Sub {
    T operator()(T a, T b) const {
        if constexpr (kIsFloat<T>) {
            return settled<T>(a, b, a - b);
        } else {
            using U = typename UnsignedOf<T>::type;
            T r = static_cast<T>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)));
            return (a == null<T>) | (b == null<T>) ? null<T> : r;
        }
    }
};
template <class T>
struct Mul {
    T operator()(T a, T b) const {
        if constexpr (kIsFloat<T>) {
            return settled<T>(a, b, a * b);
        } else if constexpr (sizeof(T) < 8) {
            // Computes in unsigned int, where products of narrow types neither overflow nor widen to a signed type.
            T r = static_cast<T>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
            return (a == null<T>) | (b == null<T>) ? null<T> : r;
        } else {
            T r = static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
            return (a == null<T>) | (b == null<T>) ? null<T> : r;
        }
    }
};
// A division that rounds down. Exact through DOUBLE for up to 32 bits, and vectorised there.
template <class T>
struct Div {
    T operator()(T a, T b) const {
        if constexpr (kIsFloat<T>) {
            // There is no branch, which would keep the loop from being vectorised.
            const T r = a / b;
            const bool bad = (a == null<T>) | (b == null<T>) | (b == 0) | (!finite(r) & finite(a) & finite(b));
            return bad ? null<T> : r;
        } else if constexpr (sizeof(T) < 8) {
            bool bad = (a == null<T>) | (b == null<T>) | (b == 0);
            double q = __builtin_floor(static_cast<double>(a) / static_cast<double>(bad ? T(1) : b));
            return bad ? null<T> : static_cast<T>(static_cast<int64_t>(q));
        } else {
            if (a == null<T> || b == null<T> || b == 0) return null<T>;
            if (b == -1) return static_cast<T>(0 - static_cast<uint64_t>(a));
            T q = a / b;
            return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
        }
    }
};
template <class T>
struct Mod {
    T operator()(T a, T b) const {
        if constexpr (kIsFloat<T>) {
            if (a == null<T> || b == null<T> || b == 0) return null<T>;
            return settled<T>(a, b, static_cast<T>(a - __builtin_floor(static_cast<double>(a) / b) * b));
        } else if constexpr (sizeof(T) < 8) {
            bool bad = (a == null<T>) | (b == null<T>) | (b == 0);
            double divisor = static_cast<double>(bad ? T(1) : b);
            double q = __builtin_floor(static_cast<double>(a) / divisor);
            return bad ? null<T> : static_cast<T>(static_cast<int64_t>(static_cast<double>(a) - q * divisor));
        } else {
            if (a == null<T> || b == null<T> || b == 0) return null<T>;
            if (b == -1) return 0;
            T r = a % b;
            return (r != 0 && ((r < 0) != (b < 0))) ? r + b : r;
        }
    }
};
template <class T>
struct BitAnd {
    T operator()(T a, T b) const { return (a == null<T>) | (b == null<T>) ? null<T> : static_cast<T>(a & b); }
};
template <class T>
struct BitOr {
    T operator()(T a, T b) const { return (a == null<T>) | (b == null<T>) ? null<T> : static_cast<T>(a | b); }
};
template <class T>
struct BitXor {
    T operator()(T a, T b) const { return (a == null<T>) | (b == null<T>) ? null<T> : static_cast<T>(a ^ b); }
};
template <class T>
struct ShiftLeft {
    T operator()(T a, T b) const {
        using U = typename UnsignedOf<T>::type;
        T r = static_cast<T>(static_cast<U>(a) << (static_cast<U>(b) & (sizeof(T) * 8 - 1)));
        return (a == null<T>) | (b == null<T>) ? null<T> : r;
    }
};
template <class T>
struct ShiftRight {
    T operator()(T a, T b) const {
        using U = typename UnsignedOf<T>::type;
        T r = static_cast<T>(static_cast<U>(a) >> (static_cast<U>(b) & (sizeof(T) * 8 - 1)));
        return (a == null<T>) | (b == null<T>) ? null<T> : r;
    }
};
template <class T>
struct Min {
    T operator()(T a, T b) const { return b == null<T> ? a : a == null<T> ? b : (b < a ? b : a); }
};
template <class T>
struct Max {
    T operator()(T a, T b) const { return b > a ? b : a; }
};

// clang-format off
template <class T> struct Lt { int8_t operator()(T a, T b) const { return a < b; } };
template <class T> struct Le { int8_t operator()(T a, T b) const { return a <= b; } };
template <class T> struct Eq { int8_t operator()(T a, T b) const { return a == b; } };
template <class T> struct Gt { int8_t operator()(T a, T b) const { return a > b; } };
template <class T> struct Ge { int8_t operator()(T a, T b) const { return a >= b; } };
template <class T> struct Ne { int8_t operator()(T a, T b) const { return a != b; } };
// clang-format on

template <class T, class Out, class F>
void binaryLoop(const void* a, const void* b, void* out, int64_t n) {
    const T* __restrict x = static_cast<const T*>(a);
    const T* __restrict y = static_cast<const T*>(b);
    Out* __restrict z = static_cast<Out*>(out);
    for (int64_t i = 0; i < n; ++i) z[i] = F{}(x[i], y[i]);
}

// Returns the positive number that all elements equal; 0 when there is none.
template <class T>
T onlyDivisor(const T* divisors, int64_t n) {
    const T divisor = n > 0 ? divisors[0] : T(0);
    T differs = 0;
    for (int64_t i = 0; i < n; ++i) differs = static_cast<T>(differs | (divisors[i] ^ divisor));
    return differs == 0 && divisor > 0 ? divisor : T(0);
}

// Divides longs by one positive number, rounding down; writes their quotients or remainders. The powers of two in the
// divisor are shifted out first; where DOUBLE then holds the dividends exactly, the product with the inverse of an odd
// number is off by one at most, which the remainder shows. Returns false, having written nothing, when a dividend is
// larger.
template <bool kRemainders>
bool divideByOne(const int64_t* __restrict x, int64_t divisor, int64_t* __restrict z, int64_t n) {
    constexpr uint64_t kExact = uint64_t{1} << 53;
    const int shift = __builtin_ctzll(static_cast<uint64_t>(divisor));
    const int64_t odd = divisor >> shift;
    uint64_t isLarge = 0;
    for (int64_t i = 0; i < n; ++i) {
        const auto element = static_cast<uint64_t>(x[i] >> shift);
        isLarge |= static_cast<uint64_t>((element + kExact >= 2 * kExact) & (x[i] != null<int64_t>));
    }
    if (isLarge) return false;
    const double inverse = 1.0 / static_cast<double>(odd);
    for (int64_t i = 0; i < n; ++i) {
        const int64_t element = x[i] >> shift;
        auto q = static_cast<uint64_t>(static_cast<int64_t>(__builtin_floor(static_cast<double>(element) * inverse)));
        const auto rest = static_cast<int64_t>(static_cast<uint64_t>(element) - q * static_cast<uint64_t>(odd));
        q += static_cast<uint64_t>(rest >= odd) - static_cast<uint64_t>(rest < 0);
        if (kRemainders) q = static_cast<uint64_t>(x[i]) - q * static_cast<uint64_t>(divisor);
        z[i] = x[i] == null<int64_t> ? null<int64_t> : static_cast<int64_t>(q);
    }
    return true;
}

// Divides integers by one positive number, the usual case, with a multiplication.
template <class T>
void divideLoop(const void* a, const void* b, void* out, int64_t n) {
    if constexpr (kIsFloat<T>) {
        binaryLoop<T, T, Div<T>>(a, b, out, n);
    } else if constexpr (sizeof(T) == 8) {
        const T divisor = onlyDivisor(static_cast<const T*>(b), n);
        if (divisor > 0 && divideByOne<false>(static_cast<const T*>(a), divisor, static_cast<T*>(out), n)) return;
        binaryLoop<T, T, Div<T>>(a, b, out, n);
    } else {
        const T* __restrict x = static_cast<const T*>(a);
        T* __restrict z = static_cast<T*>(out);
        const T divisor = onlyDivisor(static_cast<const T*>(b), n);
        if (divisor == 0) return binaryLoop<T, T, Div<T>>(a, b, out, n);
        // A product with 2^shift / divisor, rounded up, is exact below 2^31 (Granlund, Montgomery 1994); -1 - x is
        // divided for negative x, which rounds down.
        int shift = 31;
        while ((int64_t{1} << (shift - 31)) < divisor) ++shift;
        const auto inverse = static_cast<uint32_t>((uint64_t{1} << shift) / static_cast<uint64_t>(divisor) + 1);
        for (int64_t i = 0; i < n; ++i) {
            const int32_t element = x[i], sign = element >> 31;
            const auto q =
                static_cast<int32_t>(static_cast<uint64_t>(static_cast<uint32_t>(element ^ sign)) * inverse >> shift);
            z[i] = x[i] == null<T> ? null<T> : static_cast<T>(q ^ sign);
        }
    }
}

template <class T>
void remainderLoop(const void* a, const void* b, void* out, int64_t n) {
    if constexpr (!kIsFloat<T> && sizeof(T) == 8) {
        const T divisor = onlyDivisor(static_cast<const T*>(b), n);
        if (divisor > 0 && divideByOne<true>(static_cast<const T*>(a), divisor, static_cast<T*>(out), n)) return;
    }
    binaryLoop<T, T, Mod<T>>(a, b, out, n);
}

template <class T>
void negateLoop(const void* a, void* out, int64_t n) {
    const T* __restrict x = static_cast<const T*>(a);
    T* __restrict z = static_cast<T*>(out);
    for (int64_t i = 0; i < n; ++i) {
        if constexpr (kIsFloat<T>) {
            z[i] = x[i] == null<T> ? null<T> : -x[i];
        } else {
            z[i] = static_cast<T>(typename UnsignedOf<T>::type(0) - static_cast<typename UnsignedOf<T>::type>(x[i]));
        }
    }
}

template <class T>
void absoluteLoop(const void* a, void* out, int64_t n) {
    const T* __restrict x = static_cast<const T*>(a);
    T* __restrict z = static_cast<T*>(out);
    for (int64_t i = 0; i < n; ++i) {
        if constexpr (kIsFloat<T>) {
            z[i] = x[i] == null<T> ? null<T> : static_cast<T>(__builtin_fabs(static_cast<double>(x[i])));
        } else {
            using U = typename UnsignedOf<T>::type;
            z[i] = x[i] < 0 ? static_cast<T>(U(0) - static_cast<U>(x[i])) : x[i];
        }
    }
}

template <class T>
void isNullLoop(const void* a, void* out, int64_t n) {
    const T* __restrict x = static_cast<const T*>(a);
    int8_t* __restrict z = static_cast<int8_t*>(out);
    for (int64_t i = 0; i < n; ++i) z[i] = x[i] == null<T>;
}

template <class T>
void toBoolLoop(const void* a, void* out, int64_t n) {
    const T* __restrict x = static_cast<const T*>(a);
    int8_t* __restrict z = static_cast<int8_t*>(out);
    for (int64_t i = 0; i < n; ++i) z[i] = x[i] == null<T> ? null<int8_t> : static_cast<int8_t>(x[i] != 0);
}

template <class From, class To>
inline To convertOne(From x) {
    if constexpr (kIsFloat<To>) {
        if constexpr (kIsFloat<From> && sizeof(To) < sizeof(From)) {
            To r = static_cast<To>(x);
            return (x == null<From>) | (finite(x) & !finite(r)) ? null<To> : r;
        } else {
            return x == null<From> ? null<To> : static_cast<To>(x);
        }
    } else if constexpr (kIsFloat<From>) {
        double v = static_cast<double>(x);
        double rounded = __builtin_trunc(v + __builtin_copysign(0.5, v));
        // 0.49999999999999994 + 0.5 rounds up to 1 in binary; the nearest integer is 0.
        rounded = __builtin_fabs(v) < 0.5 ? 0.0 : rounded;
        rounded = __builtin_fabs(v) >= 4503599627370496.0 ? v : rounded;
        constexpr double kLimit = static_cast<double>(uint64_t{1} << (sizeof(To) * 8 - 1));
        bool inside = (rounded >= -kLimit) & (rounded < kLimit) & (x != null<From>);
        return inside ? static_cast<To>(static_cast<int64_t>(inside ? rounded : 0.0)) : null<To>;
    } else {
        return x == null<From> ? null<To> : static_cast<To>(x);
    }
}

template <class From, class To>
void convertLoop(const void* a, void* out, int64_t n) {
    const From* __restrict x = static_cast<const From*>(a);
    To* __restrict z = static_cast<To*>(out);
    for (int64_t i = 0; i < n; ++i) z[i] = convertOne<From, To>(x[i]);
}

template <class T>
void selectLoop(const int8_t* c, const void* a, const void* b, void* out, int64_t n) {
    const T* __restrict x = static_cast<const T*>(a);
    const T* __restrict y = static_cast<const T*>(b);
    T* __restrict z = static_cast<T*>(out);
    // Conditions are rarely NULL, and testing every element for NULL takes twice as long.
    int8_t anyNull = 0;
    for (int64_t i = 0; i < n; ++i) anyNull |= static_cast<int8_t>(c[i] == null<int8_t>);
    for (int64_t i = 0; i < n; ++i) z[i] = c[i] > 0 ? x[i] : y[i];
    for (int64_t i = 0; anyNull != 0 && i < n; ++i) z[i] = c[i] == null<int8_t> ? null<T> : z[i];
}

struct LogicalAnd {
    int8_t operator()(int8_t a, int8_t b) const {
        return (a == null<int8_t>) | (b == null<int8_t>) ? null<int8_t> : static_cast<int8_t>(a & b);
    }
};
struct LogicalOr {
    int8_t operator()(int8_t a, int8_t b) const {
        return a == null<int8_t> ? b : b == null<int8_t> ? a : static_cast<int8_t>(a | b);
    }
};
struct LogicalXor {
    int8_t operator()(int8_t a, int8_t b) const {
        return (a == null<int8_t>) | (b == null<int8_t>) ? null<int8_t> : static_cast<int8_t>(a ^ b);
    }
};

void notLoop(const void* a, void* out, int64_t n) {
    const int8_t* __restrict x = static_cast<const int8_t*>(a);
    int8_t* __restrict z = static_cast<int8_t*>(out);
    for (int64_t i = 0; i < n; ++i) z[i] = x[i] == null<int8_t> ? null<int8_t> : static_cast<int8_t>(x[i] == 0);
}

template <class T>
void fillLane(BlockKernels& k, Lane lane) {
    int l = static_cast<int>(lane);
    auto put = [&](BlockOp op, BlockKernels::Binary kernel) { k.binary[static_cast<int>(op)][l] = kernel; };
    put(BlockOp::Add, binaryLoop<T, T, Add<T>>);
    put(BlockOp::Sub, binaryLoop<T, T, Sub<T>>);
    put(BlockOp::Mul, binaryLoop<T, T, Mul<T>>);
    put(BlockOp::Div, divideLoop<T>);
    put(BlockOp::Mod, remainderLoop<T>);
    put(BlockOp::Lt, binaryLoop<T, int8_t, Lt<T>>);
    put(BlockOp::Le, binaryLoop<T, int8_t, Le<T>>);
    put(BlockOp::Eq, binaryLoop<T, int8_t, Eq<T>>);
    put(BlockOp::Gt, binaryLoop<T, int8_t, Gt<T>>);
    put(BlockOp::Ge, binaryLoop<T, int8_t, Ge<T>>);
    put(BlockOp::Ne, binaryLoop<T, int8_t, Ne<T>>);
    put(BlockOp::Min, binaryLoop<T, T, Min<T>>);
    put(BlockOp::Max, binaryLoop<T, T, Max<T>>);
    if constexpr (!kIsFloat<T>) {
        put(BlockOp::BitAnd, binaryLoop<T, T, BitAnd<T>>);
        put(BlockOp::BitOr, binaryLoop<T, T, BitOr<T>>);
        put(BlockOp::BitXor, binaryLoop<T, T, BitXor<T>>);
        put(BlockOp::ShiftLeft, binaryLoop<T, T, ShiftLeft<T>>);
        put(BlockOp::ShiftRight, binaryLoop<T, T, ShiftRight<T>>);
    }
    k.negate[l] = negateLoop<T>;
    k.absolute[l] = absoluteLoop<T>;
    k.isNull[l] = isNullLoop<T>;
    k.toBool[l] = toBoolLoop<T>;
    k.select[l] = selectLoop<T>;
    k.convert[l][0] = convertLoop<T, int8_t>;
    k.convert[l][1] = convertLoop<T, int16_t>;
    k.convert[l][2] = convertLoop<T, int32_t>;
    k.convert[l][3] = convertLoop<T, int64_t>;
    k.convert[l][4] = convertLoop<T, float>;
    k.convert[l][5] = convertLoop<T, double>;
}

}  // namespace

void fillBlockKernels(BlockKernels& k) {
    fillLane<int8_t>(k, Lane::I8);
    fillLane<int16_t>(k, Lane::I16);
    fillLane<int32_t>(k, Lane::I32);
    fillLane<int64_t>(k, Lane::I64);
    fillLane<float>(k, Lane::F32);
    fillLane<double>(k, Lane::F64);
    k.logicalAnd = binaryLoop<int8_t, int8_t, LogicalAnd>;
    k.logicalOr = binaryLoop<int8_t, int8_t, LogicalOr>;
    k.logicalXor = binaryLoop<int8_t, int8_t, LogicalXor>;
    k.logicalNot = notLoop;
}

}  // namespace pelorus::PELORUS_ISA
