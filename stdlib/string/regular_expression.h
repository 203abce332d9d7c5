// A compiled regular expression, in the syntax of RE2 or, where a pattern asks for more than that (look-around,
// back-references, possessive quantifiers), of PCRE2.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pelorus {

// A compiled pattern, for one thread at a time. RE2 takes time linear in the string. PCRE2 backtracks: a match that
// takes, at one place of the string, more steps or memory than kBacktrackingSteps and kBacktrackingKilobytes allow
// throws UserError, and the request may be cancelled between places.
class RegularExpression {
public:
    static constexpr uint32_t kBacktrackingSteps = 1'000'000;
    static constexpr uint32_t kBacktrackingKilobytes = 20'000;

    struct Match {
        int64_t begin = 0;
        int64_t size = 0;
    };

    // Throws UserError, which names the argument at `position`, for a pattern that is valid in neither syntax.
    RegularExpression(std::string_view pattern, int position);
    ~RegularExpression();
    RegularExpression(RegularExpression&&) noexcept;

    // Returns the first match at or after `from`.
    std::optional<Match> find(std::string_view string, int64_t from) const;
    // Returns the string with every match replaced; $0 is the match and $1 to $9 are its groups.
    std::string replaceAll(std::string_view string, const std::string& replacement) const;
    // Throws UserError, which names the argument at `position`, if the replacement names a group that the pattern
    // lacks.
    void checkReplacement(const std::string& replacement, int position) const;

private:
    struct Linear;
    struct Backtracking;
    std::unique_ptr<Linear> linear_;              // set for a pattern of RE2
    std::unique_ptr<Backtracking> backtracking_;  // set for a pattern of PCRE2
};

}  // namespace pelorus
