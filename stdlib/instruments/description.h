// Members of a dictionary that describes an instrument or market data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/value/dictionary.h"

namespace pelorus {

// Reads the members of a description. Missing ones and NULL count alike. Each reader throws UserError, which names the
// member, for a value of another type, and, without a default, for one that is missing.
class Description {
public:
    // `argument` is the position that errors tell; `what` names the description, as "The instrument". Throws UserError
    // when the value is no dictionary with names as keys.
    Description(const Value& description, size_t argument, std::string_view what);

    bool has(std::string_view member) const;
    // Throws UserError when the member is missing.
    void require(std::string_view member) const;
    // Returns the member as it stands, VOID when it is missing.
    Value get(std::string_view member) const;
    std::string text(std::string_view member) const;
    std::string text(std::string_view member, std::string_view whenMissing) const;
    double number(std::string_view member) const;
    double number(std::string_view member, double whenMissing) const;
    bool flag(std::string_view member, bool whenMissing) const;
    // Returns days since 1970. Dates may be strings, as 2025.03.01.
    int64_t date(std::string_view member) const;
    std::vector<int64_t> dates(std::string_view member) const;
    std::vector<double> numbers(std::string_view member) const;

    // Throws UserError that says what the member must be.
    [[noreturn]] void refuse(std::string_view member, std::string_view needed) const;

private:
    Ref<Dictionary> members_;
    size_t argument_;
    std::string what_;
};

}  // namespace pelorus
