#include "streaming/replay/replay_source.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/function/principal.h"

using namespace pelorus;

namespace {

Value tableOf(const std::vector<int64_t>& times) {
    const Ref<Vector> column = Vector::make(Type::Long, static_cast<int64_t>(times.size()));
    std::copy(times.begin(), times.end(), column->mutableData<int64_t>());
    return Value::of(
        Ref<Table>(makeRef<MemoryTable>(std::vector<std::string>{"t"}, std::vector<Value>{Value::of(column)})));
}

}  // namespace

TEST_CASE("parts are read in their order, as many at once as wanted, and rows leave from the front") {
    const Services services;
    Request request(Principal::owner());
    Context context(services, request);
    const ReplayInput input{.parts = {tableOf({1, 2}), tableOf({3}), tableOf({4, 5})}, .dateColumn = "t"};
    ReplaySource source(input, 2);
    source.readMore(context);
    REQUIRE(source.size() == 3);
    REQUIRE(source.lastTime() == 3);
    REQUIRE(source.before(3) == 2);
    source.drop(2);
    REQUIRE(source.hasMore());
    source.readMore(context);
    REQUIRE(source.size() == 3);
    REQUIRE_FALSE(source.hasMore());
    source.drop(3);
    REQUIRE(source.size() == 0);
}

TEST_CASE("an input without its column of times is refused") {
    const Services services;
    Request request(Principal::owner());
    Context context(services, request);
    const ReplayInput input{.parts = {tableOf({1})}, .dateColumn = "day"};
    ReplaySource source(input, 1);
    REQUIRE_THROWS_AS(source.readMore(context), UserError);
}
