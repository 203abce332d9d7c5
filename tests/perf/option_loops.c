// The option loops of the language benchmark in C: implied volatility by Newton's method and by bisection, and a sum of
// logarithms, with the functions of libm that the built-ins stand on and no rules for NULL. Each line of output: what,
// milliseconds, a sum to compare.
//   option_loops options items runs
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cdf_normal(double x) { return erfc(-x / M_SQRT2) / 2; }

static double call_price(double s, double k, double t, double r, double sigma) {
    double d1 = (log(s / k) + (r + sigma * sigma / 2) * t) / (sigma * sqrt(t));
    double d2 = d1 - sigma * sqrt(t);
    return s * cdf_normal(d1) - k * exp(-r * t) * cdf_normal(d2);
}

static double newton(double price, double s, double k, double t, double r) {
    double sigma = 0.5;
    for (int i = 0; i < 50; ++i) {
        double difference = call_price(s, k, t, r, sigma) - price;
        if (fabs(difference) < 1e-9) break;
        double d1 = (log(s / k) + (r + sigma * sigma / 2) * t) / (sigma * sqrt(t));
        double vega = s * sqrt(t) * exp(-d1 * d1 / 2) * 0.3989422804014327;
        sigma = fmax(sigma - difference / vega, 0.001);
    }
    return sigma;
}

static double bisection(double price, double s, double k, double t, double r) {
    double low = 0.001, high = 5.0;
    while (high - low > 1e-9) {
        double middle = (low + high) / 2;
        if (call_price(s, k, t, r, middle) > price) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return (low + high) / 2;
}

static struct timespec begin;
static void start(void) { clock_gettime(CLOCK_MONOTONIC, &begin); }
static void stop(const char* what, double sum) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%s %.3f %.9g\n", what,
           (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6, sum);
}

static double* column(long n) { return malloc((size_t)n * sizeof(double)); }

int main(int count, char** arguments) {
    if (count < 4) return 1;
    long options = atol(arguments[1]), items = atol(arguments[2]);
    int runs = atoi(arguments[3]);
    double *k = column(options), *t = column(options), *price = column(options), *sigma = column(options);
    double* x = column(items);
    for (long i = 0; i < options; ++i) {
        k[i] = 80.0 + (double)(i % 400) / 10;
        t[i] = 0.5 + (double)(i % 37) / 20;
        price[i] = call_price(100.0, k[i], t[i], 0.02, 0.1 + (double)(i % 53) / 100);
    }
    for (long i = 0; i < items; ++i) x[i] = (double)(i % 1000) - 500.25;
    for (int run = 0; run < runs; ++run) {
        double sum = 0;
        start();
        for (long i = 0; i < options; ++i) sigma[i] = newton(price[i], 100.0, k[i], t[i], 0.02);
        for (long i = 0; i < options; ++i) sum += sigma[i];
        stop("newton", sum);
        sum = 0;
        start();
        for (long i = 0; i < options; ++i) sigma[i] = bisection(price[i], 100.0, k[i], t[i], 0.02);
        for (long i = 0; i < options; ++i) sum += sigma[i];
        stop("bisection", sum);
        sum = 0;
        start();
        for (long i = 0; i < items; ++i) sum += log(fabs(x[i])) * (x[i] > 0 ? 1 : -1);
        stop("logarithms", sum);
    }
    return 0;
}
