// Measures what the hardware allows for the vector expressions of the language benchmark: hand-written loops with the
// language's rules for NULL and overflow, and the machine's memory rate. Two threads work, each on half of the rows, as
// in the engine.
//
//   kernel_limits ROWS RUNS    prints "name milliseconds gigabytes-per-second", the median of the runs
#include <immintrin.h>
#include <sys/mman.h>

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace {

constexpr double kNull = -DBL_MAX;
constexpr int32_t kNullInt = INT32_MIN;

template <class T>
T* allocate(size_t count) {
    size_t bytes = (count * sizeof(T) + 64 + (2 << 20)) / (2 << 20) * (2 << 20);
    void* p = std::aligned_alloc(2 << 20, bytes);
    madvise(p, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(p);
}

void onTwoThreads(int64_t rows, const std::function<void(int64_t, int64_t)>& f) {
    int64_t middle = rows / 2 / 64 * 64;
    std::thread other([&] { f(middle, rows); });
    f(0, middle);
    other.join();
}

void report(const char* name, int runs, double bytes, const std::function<void()>& work) {
    std::vector<double> times;
    for (int r = 0; r < runs + 1; ++r) {
        auto begin = std::chrono::steady_clock::now();
        work();
        times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    times.erase(times.begin());
    std::sort(times.begin(), times.end());
    double median = times[times.size() / 2];
    std::printf("%s %.3f %.2f\n", name, median, bytes / median / 1e6);
}

#if defined(__AVX512F__)
// NULL when an operand is, or when finite operands give what is not finite.
inline __m512d settled(__m512d a, __m512d b, __m512d r) {
    const __m512d nulls = _mm512_set1_pd(kNull), limit = _mm512_set1_pd(DBL_MAX);
    auto finite = [&](__m512d x) { return _mm512_cmp_pd_mask(_mm512_abs_pd(x), limit, _CMP_LE_OQ); };
    __mmask8 bad = _mm512_cmp_pd_mask(a, nulls, _CMP_EQ_OQ) | _mm512_cmp_pd_mask(b, nulls, _CMP_EQ_OQ);
    bad |= static_cast<__mmask8>(~finite(r)) & finite(a) & finite(b);
    return _mm512_mask_blend_pd(bad, r, nulls);
}

void spread(const double* bid, const double* ofr, double* out, int64_t begin, int64_t end) {
    const __m512d nulls = _mm512_set1_pd(kNull), zero = _mm512_setzero_pd(), two = _mm512_set1_pd(2);
    for (int64_t i = begin; i + 8 <= end; i += 8) {
        __m512d b = _mm512_loadu_pd(bid + i), o = _mm512_loadu_pd(ofr + i);
        __m512d difference = settled(o, b, _mm512_sub_pd(o, b)), sum = settled(o, b, _mm512_add_pd(o, b));
        __mmask8 byZero = _mm512_cmp_pd_mask(sum, zero, _CMP_EQ_OQ);
        __m512d ratio = settled(difference, sum, _mm512_div_pd(difference, sum));
        ratio = _mm512_mask_blend_pd(byZero, ratio, nulls);
        _mm512_storeu_pd(out + i, settled(ratio, two, _mm512_mul_pd(ratio, two)));
    }
}

void choose(const int8_t* condition, const double* a, const double* b, double* out, int64_t begin, int64_t end) {
    for (int64_t i = begin; i + 8 <= end; i += 8) {
        __m128i c = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(condition + i));
        __mmask8 holds = static_cast<__mmask8>(_mm_movemask_epi8(_mm_cmpgt_epi8(c, _mm_setzero_si128())));
        _mm512_storeu_pd(out + i, _mm512_mask_blend_pd(holds, _mm512_loadu_pd(b + i), _mm512_loadu_pd(a + i)));
    }
}

void between(const double* x, double low, double high, int8_t* out, int64_t begin, int64_t end) {
    const __m512d l = _mm512_set1_pd(low), h = _mm512_set1_pd(high);
    for (int64_t i = begin; i + 8 <= end; i += 8) {
        __m512d v = _mm512_loadu_pd(x + i);
        uint64_t inside = _mm512_cmp_pd_mask(v, l, _CMP_GE_OQ) & _mm512_cmp_pd_mask(v, h, _CMP_LE_OQ);
        uint64_t bytes = _pdep_u64(inside, 0x0101010101010101ull);
        __builtin_memcpy(out + i, &bytes, 8);
    }
}

void toDouble(const int32_t* x, double* out, int64_t begin, int64_t end) {
    const __m256i nulls = _mm256_set1_epi32(kNullInt);
    for (int64_t i = begin; i + 8 <= end; i += 8) {
        __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
        __mmask8 isNull = _mm256_cmpeq_epi32_mask(v, nulls);
        _mm512_storeu_pd(out + i, _mm512_mask_blend_pd(isNull, _mm512_cvtepi32_pd(v), _mm512_set1_pd(kNull)));
    }
}

void toLong(const int32_t* x, int64_t* out, int64_t begin, int64_t end) {
    const __m256i nulls = _mm256_set1_epi32(kNullInt);
    for (int64_t i = begin; i + 8 <= end; i += 8) {
        __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
        __mmask8 isNull = _mm256_cmpeq_epi32_mask(v, nulls);
        _mm512_storeu_si512(out + i,
                            _mm512_mask_blend_epi64(isNull, _mm512_cvtepi32_epi64(v), _mm512_set1_epi64(INT64_MIN)));
    }
}
#endif

}  // namespace

int main(int count, char** arguments) {
    const int64_t rows = count > 1 ? std::atoll(arguments[1]) : 10'000'000;
    const int runs = count > 2 ? std::atoi(arguments[2]) : 7;
    auto* a = allocate<double>(static_cast<size_t>(rows));
    auto* b = allocate<double>(static_cast<size_t>(rows));
    auto* out = allocate<double>(static_cast<size_t>(rows));
    auto* integers = allocate<int32_t>(static_cast<size_t>(rows));
    auto* bits = allocate<int8_t>(static_cast<size_t>(rows));
    for (int64_t i = 0; i < rows; ++i) {
        a[i] = i % 100 == 0 ? kNull : static_cast<double>(i * 7919 % 10000) / 100;
        b[i] = i % 100 == 0 ? kNull : a[i] + static_cast<double>(i % 10) / 100;
        integers[i] = i % 100 == 0 ? kNullInt : static_cast<int32_t>(i * 31 % 1000);
        bits[i] = i * 2654435761 % 3 == 0;
        out[i] = 0;
    }
    const double n = static_cast<double>(rows);
    // The memory rate: two streams in, one out.
    report("memory", runs, 24 * n, [&] {
        onTwoThreads(rows, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) out[i] = a[i] + b[i];
        });
    });
#if defined(__AVX512F__)
    report("spread", runs, 24 * n,
           [&] { onTwoThreads(rows, [&](int64_t begin, int64_t end) { spread(a, b, out, begin, end); }); });
    report("iif", runs, 25 * n,
           [&] { onTwoThreads(rows, [&](int64_t begin, int64_t end) { choose(bits, a, b, out, begin, end); }); });
    report("between", runs, 9 * n,
           [&] { onTwoThreads(rows, [&](int64_t begin, int64_t end) { between(a, 10, 90, bits, begin, end); }); });
    report("double", runs, 12 * n,
           [&] { onTwoThreads(rows, [&](int64_t begin, int64_t end) { toDouble(integers, out, begin, end); }); });
    report("long", runs, 12 * n, [&] {
        onTwoThreads(
            rows, [&](int64_t begin, int64_t end) { toLong(integers, reinterpret_cast<int64_t*>(out), begin, end); });
    });
#endif
    return 0;
}
