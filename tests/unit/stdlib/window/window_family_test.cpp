#include "stdlib/window/window_family.h"

#include <array>
#include <catch2/catch.hpp>

namespace pelorus {

TEST_CASE("a moving function reaches as far back as its window, others tell no reach") {
    FunctionRegistry registry;
    const FunctionFamily family(registry, Facet::Public, Effect::Pure);
    const Kernel kernel = [](Context&, Arguments) { return Value(); };
    addWindowFunction(registry, "mone(X, window, [minPeriods])", kernel, "One.", "");
    addWindowFunction(registry, "mtwo(X, Y, window)", kernel, "Two.", "");
    addWindowFunction(registry, "cumone(X)", kernel, "All.", "");
    const std::array constants{Value(), Value::ofInt(5), Value::ofInt(3)};
    REQUIRE(registry.get("mone").declaration().reach(constants) == 4);
    REQUIRE(registry.get("mtwo").declaration().reach(constants) == 2);
    REQUIRE(registry.get("cumone").declaration().reach == nullptr);
    const std::array unknown{Value(), Value(), Value()};
    REQUIRE(registry.get("mone").declaration().reach(unknown) == -1);
}

}  // namespace pelorus
