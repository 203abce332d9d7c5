// States of a regression that nodes send each other.
#include "runtime/kernel/aggregate/least_squares.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

namespace {

Ref<Vector> doubles(const std::vector<double>& elements) {
    return Vector::of(Type::Double, elements);
}

LeastSquares someMoments() {
    LeastSquares moments(1);
    moments.add(*doubles({1, null<double>, 5, 7}),
                std::vector<Ref<Vector>>{doubles({0, null<double>, null<double>, 3})});
    return moments;
}

}  // namespace

TEST_CASE("moments that were sent tell of all rows with a NULL, each once") {
    LeastSquares whole = LeastSquares::load(someMoments().save());
    CHECK(whole.count() == 4);
    CHECK(whole.nullRows() == 2);
    whole.merge(LeastSquares::load(someMoments().save()));
    CHECK(whole.nullRows() == 4);
    LeastSquares weighted(1);
    const double weights[] = {0, 0};
    weighted.add(*doubles({1, null<double>}), std::vector<Ref<Vector>>{doubles({1, 2})}, weights);
    CHECK(weighted.nullRows() == 1);
}

TEST_CASE("moments of another version are refused") {
    const Value saved = someMoments().save();
    std::vector<double> elements(saved.vector().data<double>(), saved.vector().data<double>() + saved.size());
    const auto load = [](const std::vector<double>& all) { return LeastSquares::load(Value::of(doubles(all))); };
    CHECK_NOTHROW(load(elements));
    // The first form: factors, rows, their weight, then means and moments.
    CHECK_THROWS_WITH(load({1, 4, 4, 0.75, 3.25, 6.75, 11.25, 11.25, 32.75}), Catch::Contains("moments"));
    for (const double form : {-3.0, -1.0, 0.0, null<double>}) {
        std::vector<double> other = elements;
        other[0] = form;
        CHECK_THROWS_AS(load(other), UserError);
    }
    std::vector<double> moreNulls = elements;
    moreNulls[3] = 5;
    CHECK_THROWS_AS(load(moreNulls), UserError);
    elements.pop_back();
    CHECK_THROWS_AS(load(elements), UserError);
}
