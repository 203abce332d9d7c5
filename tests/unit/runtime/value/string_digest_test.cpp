// Digests distinguish short strings by themselves, and an index of strings finds those inserted, short and long.
#include "runtime/value/string_digest.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "runtime/value/key_index.h"

using namespace pelorus;

namespace {

// Returns a random string of few letters, NUL among them, so that many strings differ in one place or in length only.
std::string drawnString(std::mt19937& random, size_t longest) {
    std::string string(random() % (longest + 1), 'a');
    if (!string.empty()) {
        for (int i = 0; i < 2; ++i) string[random() % string.size()] = "ab\0\xff"[random() % 4];
    }
    return string;
}

}  // namespace

TEST_CASE("texts below 16 bytes have the same digest only when they are equal") {
    std::mt19937 random(7);
    std::map<std::pair<uint64_t, uint64_t>, std::string> toString;
    size_t lengths = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string string = drawnString(random, 20);
        const StringDigest digest = StringDigest::of(string);
        CHECK(digest == StringDigest::of(std::string(string)));
        CHECK(digest.isWhole() == (string.size() <= StringDigest::kLongestWhole));
        const auto known = toString.try_emplace({digest.first, digest.second}, string);
        if (digest.isWhole() && known.first->second != string)
            FAIL("two texts of " << string.size() << " bytes are one");
        lengths |= size_t{1} << string.size();
    }
    CHECK(lengths == (size_t{1} << 21) - 1);
    CHECK(toString.size() > 1000);
}

TEST_CASE("an index numbers texts in the order in which they appear, with digests or without") {
    std::mt19937 random(8);
    std::vector<std::string> strings;
    for (int i = 0; i < 30'000; ++i) strings.push_back(drawnString(random, 24));
    std::map<std::string, int32_t> numbers;
    std::vector<int32_t> expected;
    std::vector<StringDigest> digests;
    for (const std::string& string : strings) {
        expected.push_back(numbers.try_emplace(string, static_cast<int32_t>(numbers.size())).first->second);
        digests.push_back(StringDigest::of(string));
    }
    const Ref<Vector> keys = Vector::ofStrings(strings);
    for (const StringDigest* known :
         {static_cast<const StringDigest*>(nullptr), static_cast<const StringDigest*>(digests.data())}) {
        KeyIndex index(Type::String);
        std::vector<int32_t> positions(strings.size()), found(strings.size());
        index.insertAll(*keys, positions.data(), known);
        CHECK(positions == expected);
        index.findAll(*keys, found.data());
        CHECK(found == expected);
        CHECK(index.size() == static_cast<int64_t>(numbers.size()));
        // Looked up one by one, too, also after one was erased.
        CHECK(index.find(Value::ofString(strings[17])) == expected[17]);
        index.erase(Value::ofString(strings[17]));
        CHECK(index.find(Value::ofString(strings[17])) == -1);
        CHECK(index.find(keys->at(18)) >= (strings[18] == strings[17] ? -1 : 0));
    }
}
