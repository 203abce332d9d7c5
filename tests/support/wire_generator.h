// Random messages of the wire protocol: well-formed ones, and ones that a mutation of their structure broke.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus::testing {

class WireGenerator {
public:
    explicit WireGenerator(uint32_t seed) : random_(seed) {}

    // The bytes of a value of any type and form, containers nested so deep at most. Portable kinds are among them when
    // `fromNode`.
    std::string value(int depth, bool fromNode);
    // A request line, its body and its values. `asUnauthenticated`: as before login.
    std::string request(bool asUnauthenticated, bool fromNode);
    // A request of this function with these many random values.
    std::string call(std::string_view function, size_t values, bool fromNode);
    // The bytes with something of their structure changed: sizes, type and form bytes, parts left out, doubled,
    // swapped.
    std::string mutated(std::string bytes);

    size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

private:
    template <class T>
    static std::string raw(T x) {
        return std::string(reinterpret_cast<const char*>(&x), sizeof x);
    }
    static std::string flag(int type, int form) { return {static_cast<char>(type), static_cast<char>(form)}; }
    std::string size(int64_t elements);
    std::string string();
    std::string elements(int type, int64_t count);
    std::string scalar(bool fromNode);
    std::string portable(int depth);
    std::string vector(int type, int64_t count);
    std::string arrayVector();
    std::string symbols(int64_t count);
    std::string compressed(int64_t count);
    std::string table(int depth, bool fromNode);
    std::string tuple(const std::vector<std::string>& parts);
    int plainType();

    std::mt19937 random_;
};

}  // namespace pelorus::testing
