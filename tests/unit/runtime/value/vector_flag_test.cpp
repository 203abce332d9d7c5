// Properties that readers remember in a shared vector. The thread sanitizer watches it in its build.
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "runtime/value/vector.h"

using namespace pelorus;

TEST_CASE("many threads may ask one vector for NULLs at the same time") {
    const Ref<Vector> whole = Vector::of(Type::Int, std::vector<int32_t>(10'000, 7));
    std::atomic<int> wrong{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i) {
        readers.emplace_back([&] {
            for (int k = 0; k < 100; ++k) {
                whole->setMayHaveNull(true);
                wrong += whole->hasNull();
                wrong += whole->slice(10, 20)->hasNull();
            }
        });
    }
    for (std::thread& reader : readers) reader.join();
    CHECK(wrong == 0);
    CHECK_FALSE(whole->mayHaveNull());
}
