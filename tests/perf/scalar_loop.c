// The scalar loop of the language benchmark in C, with the language's rules: NULL in gives NULL out, integers wrap, and
// the remainder has the divisor's sign. Prints the result and the milliseconds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NULL_LONG INT64_MIN

static int64_t xor_(int64_t a, int64_t b) { return a == NULL_LONG || b == NULL_LONG ? NULL_LONG : a ^ b; }
static int64_t left(int64_t a, int n) { return a == NULL_LONG ? NULL_LONG : (int64_t)((uint64_t)a << n); }
static int64_t right(int64_t a, int n) { return a == NULL_LONG ? NULL_LONG : (int64_t)((uint64_t)a >> n); }
static int64_t add(int64_t a, int64_t b) {
    return a == NULL_LONG || b == NULL_LONG ? NULL_LONG : (int64_t)((uint64_t)a + (uint64_t)b);
}
static int64_t mod(int64_t a, int64_t b) {
    if (a == NULL_LONG) return NULL_LONG;
    int64_t m = a % b;
    if (m != 0 && (m < 0) != (b < 0)) m += b;
    return m;
}

int main(int count, char** arguments) {
    int64_t n = count > 1 ? atoll(arguments[1]) : 100000000;
    int64_t x = 88172645463325252ll, total = 0;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int64_t i = 0; i < n; ++i) {
        x = xor_(x, left(x, 13));
        x = xor_(x, right(x, 7));
        x = xor_(x, left(x, 17));
        if (mod(x, 3) == 0) {
            total = add(total, mod(x, 1000));
        } else {
            total = add(total, -1);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%lld %.3f\n", (long long)total,
           (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6);
    return 0;
}
