// UrlQuery parses the parameters after the question mark of an HTTP request's target.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pelorus {

// The decoded parameters, which are copies.
class UrlQuery {
public:
    // Parses a target. Parameters with an invalid percent encoding are left out.
    explicit UrlQuery(std::string_view target);
    // Returns the first value of a parameter; empty when it is missing.
    std::string value(std::string_view name) const;

private:
    std::vector<std::pair<std::string, std::string>> parameters_;
};

}  // namespace pelorus
