#include "storage/segment/dictionary_draft.h"

#include <catch2/catch.hpp>

#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

// Whether the draft says of each row what the column has.
bool saysTheSame(const DictionaryDraft& draft, const Vector& column) {
    if (static_cast<int64_t>(draft.codes.size()) != column.size()) return false;
    for (int64_t i = 0; i < column.size(); ++i) {
        if (draft.strings.at(static_cast<size_t>(draft.codes[static_cast<size_t>(i)])) != column.string(i))
            return false;
    }
    return std::is_sorted(draft.strings.begin(), draft.strings.end());
}

using Strings = std::vector<std::string_view>;

}  // namespace

TEST_CASE("symbols have their distinct strings in order, and each row its code") {
    const Ref<Vector> column = Vector::ofStrings({"XOM", "", "IBM", "IBM", "XOM", "AAPL"}, Type::Symbol);
    const DictionaryDraft draft = symbolDictionary(*column);
    CHECK(draft.strings == Strings{"", "AAPL", "IBM", "XOM"});
    CHECK(draft.codes == std::vector<int32_t>{3, 0, 2, 2, 3, 1});
    CHECK(symbolDictionary(*Vector::ofStrings({}, Type::Symbol)).strings.empty());
}

TEST_CASE("a column longer than the list of all symbols gives the same dictionary") {
    std::vector<std::string> elements;
    for (int i = 0; i < 60'000; ++i) elements.push_back("dictionary" + std::to_string(i * 7919 % 500));
    const Ref<Vector> column = Vector::ofStrings(elements, Type::Symbol);
    const DictionaryDraft draft = symbolDictionary(*column);
    CHECK(draft.strings.size() == 500);
    CHECK(saysTheSame(draft, *column));
}

TEST_CASE("strings have a dictionary where they repeat, and none where it would not pay") {
    std::vector<std::string> few, many;
    for (int i = 0; i < 1000; ++i) {
        few.push_back(std::to_string(i % 200));
        many.push_back(std::to_string(i));
    }
    DictionaryDraft draft;
    const Ref<Vector> column = Vector::ofStrings(few, Type::String);
    REQUIRE(stringDictionary(*column, draft));
    CHECK(draft.strings.size() == 200);
    CHECK(saysTheSame(draft, *column));
    // The column owns the strings of its draft.
    const Ref<Vector> differing = Vector::ofStrings(many, Type::String), alone = Vector::ofStrings({"x"}, Type::String);
    DictionaryDraft none, one;
    CHECK(!stringDictionary(*differing, none));
    CHECK(stringDictionary(*alone, one));
    CHECK(one.strings == Strings{"x"});
}
