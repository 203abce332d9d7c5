#include "server/line_query/query_dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "common/error.h"
#include "server/line_query/query_tokens.h"

namespace pelorus {
namespace {

constexpr std::string_view kUsualTimeColumn = "timestamp";
constexpr int kMaxDepth = 32;  // nesting of selects in brackets

// The clauses of a select, in the order of their keywords.
enum class Clause : uint8_t { Select, From, Where, LatestBy, LatestOn, PartitionBy, SampleBy, GroupBy, OrderBy, Limit };

struct ClauseStart {
    Clause clause;
    size_t words;  // number of words of the keyword
};

std::optional<ClauseStart> clauseAt(const QueryTokens& tokens, size_t i) {
    const auto is = [&](size_t at, std::string_view word) { return at < tokens.size() && tokens[at].isWord(word); };
    if (is(i, "select")) return ClauseStart{Clause::Select, 1};
    if (is(i, "from")) return ClauseStart{Clause::From, 1};
    if (is(i, "where")) return ClauseStart{Clause::Where, 1};
    if (is(i, "limit")) return ClauseStart{Clause::Limit, 1};
    if (is(i, "latest") && is(i + 1, "on")) return ClauseStart{Clause::LatestOn, 2};
    if (!is(i + 1, "by")) return std::nullopt;
    if (is(i, "latest")) return ClauseStart{Clause::LatestBy, 2};
    if (is(i, "partition")) return ClauseStart{Clause::PartitionBy, 2};
    if (is(i, "sample")) return ClauseStart{Clause::SampleBy, 2};
    if (is(i, "group")) return ClauseStart{Clause::GroupBy, 2};
    if (is(i, "order")) return ClauseStart{Clause::OrderBy, 2};
    return std::nullopt;
}

// Returns the source text of a clause without its keyword; empty when the query has no such clause.
using Clauses = std::map<Clause, QueryTokens>;

Clauses clausesOf(const QueryTokens& tokens) {
    Clauses clauses;
    Clause current = Clause::Select;
    int depth = 0;
    for (size_t i = 0; i < tokens.size();) {
        depth += tokens[i].opens() ? 1 : tokens[i].closes() ? -1 : 0;
        const auto start = depth == 0 ? clauseAt(tokens, i) : std::nullopt;
        if (!start) {
            clauses[current].push_back(tokens[i++]);
            continue;
        }
        current = start->clause;
        if (clauses.count(current) != 0)
            throw UserError(fmt::format("The query has {} twice.", tokens[i].string),
                            "With SAMPLE BY or LATEST a query is one select; others may be in brackets inside it.");
        clauses[current];
        i += start->words;
    }
    return clauses;
}

std::vector<QueryTokens> splitAtCommas(const QueryTokens& tokens) {
    std::vector<QueryTokens> parts(1);
    int depth = 0;
    for (const QueryToken& token : tokens) {
        depth += token.opens() ? 1 : token.closes() ? -1 : 0;
        if (depth == 0 && token.string == ",") {
            parts.emplace_back();
        } else {
            parts.back().push_back(token);
        }
    }
    return parts;
}

struct SelectItem {
    QueryTokens expression;
    std::string alias;  // empty: none is given
};

SelectItem itemOf(QueryTokens tokens) {
    if (tokens.size() >= 3 && tokens[tokens.size() - 2].isWord("as")) {
        const std::string alias = tokens.back().string;
        tokens.resize(tokens.size() - 2);
        return {std::move(tokens), alias};
    }
    return {std::move(tokens), ""};
}

// Returns whether our language reads the name without quotes, unless it is a keyword.
bool isPlain(std::string_view name) {
    return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
           std::all_of(name.begin(), name.end(),
                       [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

bool mentions(const QueryTokens& tokens, std::string_view column) {
    return std::any_of(tokens.begin(), tokens.end(),
                       [&](const QueryToken& token) { return token.isWord() && token.name == column; });
}

// Returns "1h" as a duration of ours.
std::string durationOf(const QueryTokens& tokens) {
    const std::string string = trimmedString(tokens);
    const size_t digits = std::min(string.find_first_not_of("0123456789"), string.size());
    const std::string unit = string.substr(digits);
    static const std::map<std::string, std::string, std::less<>> kUnits = {
        {"n", "ns"}, {"U", "us"}, {"u", "us"}, {"T", "ms"}, {"s", "s"}, {"m", "m"},
        {"h", "H"},  {"d", "d"},  {"w", "w"},  {"M", "M"},  {"y", "y"}};
    const auto known = kUnits.find(unit);
    const bool isPositive = string.find_first_of("123456789") < digits;
    if (!isPositive || digits > 9 || known == kUnits.end())
        throw UserError(fmt::format("SAMPLE BY takes a number and a unit, as in 1h or 30s, but not {}.", string),
                        "Units are n, U, T, s, m, h, d, w, M and y.");
    return string.substr(0, digits) + known->second;
}

// Drops ALIGN TO CALENDAR and FILL(NONE), which say what is so anyway.
QueryTokens withoutDefaults(QueryTokens tokens) {
    const auto ends = [&](std::initializer_list<std::string_view> words) {
        if (tokens.size() <= words.size()) return false;
        return std::equal(words.begin(), words.end(), tokens.end() - static_cast<ptrdiff_t>(words.size()),
                          [](std::string_view word, const QueryToken& token) {
                              return token.isWord() ? token.isWord(word) : token.string == word;
                          });
    };
    if (ends({"align", "to", "calendar"})) tokens.resize(tokens.size() - 3);
    if (ends({"fill", "(", "none", ")"})) tokens.resize(tokens.size() - 4);
    if (tokens.size() > 1)
        throw UserError("Behind SAMPLE BY and its duration only FILL(NONE) and ALIGN TO CALENDAR are taken here.");
    return tokens;
}

class Translation {
public:
    explicit Translation(const DialectNames& names) : names_(names) {}

    std::string run(QueryTokens tokens, int depth = 0) const {
        if (depth > kMaxDepth)
            throw UserError(fmt::format("A query has at most {} selects inside one another.", kMaxDepth));
        if (depth == 0) translateTables(tokens);
        translateNested(tokens, depth);
        translateLiterals(tokens);
        const bool isDialect = std::any_of(tokens.begin(), tokens.end(), [&](const QueryToken& token) {
            const auto start = clauseAt(tokens, static_cast<size_t>(&token - tokens.data()));
            return start && (start->clause == Clause::SampleBy || start->clause == Clause::LatestBy ||
                             start->clause == Clause::LatestOn);
        });
        if (!isDialect) return stringOf(tokens);
        Clauses clauses = clausesOf(tokens);
        return clauses.count(Clause::SampleBy) ? sampled(clauses) : latest(clauses);
    }

private:
    // Names of tables, which stand behind from or join, or before a dot, become those of their variables.
    void translateTables(QueryTokens& tokens) const {
        std::vector<bool> inFrom{false};  // per bracket that is open
        for (size_t i = 0; i < tokens.size(); ++i) {
            QueryToken& token = tokens[i];
            if (token.opens()) {
                inFrom.push_back(false);
            } else if (token.closes()) {
                if (inFrom.size() > 1) inFrom.pop_back();
            } else if (const auto start = clauseAt(tokens, i)) {
                inFrom.back() = start->clause == Clause::From;
            }
            if (!token.isWord()) continue;
            const bool follows =
                i > 0 && inFrom.back() &&
                (tokens[i - 1].isWord("from") || tokens[i - 1].isWord("join") || tokens[i - 1].string == ",");
            const bool qualifies = i + 2 < tokens.size() && tokens[i + 1].string == "." && tokens[i + 1].blanks.empty();
            if (!follows && !qualifies) continue;
            const auto known = names_.variables.find(token.name);
            if (known != names_.variables.end()) token.string = token.name = known->second;
        }
    }

    // Selects in brackets are translated first, each to one token.
    void translateNested(QueryTokens& tokens, int depth) const {
        for (size_t i = 0; i + 1 < tokens.size(); ++i) {
            if (tokens[i].string != "(" || !tokens[i + 1].isWord("select")) continue;
            int open = 1;
            size_t last = i + 1;
            for (; last < tokens.size(); ++last) {
                open += tokens[last].opens() ? 1 : tokens[last].closes() ? -1 : 0;
                if (open == 0) break;
            }
            const auto begin = tokens.begin() + static_cast<ptrdiff_t>(i) + 1;
            const auto end = tokens.begin() + static_cast<ptrdiff_t>(std::min(last, tokens.size()));
            QueryToken nested{.kind = QueryToken::Kind::Other, .string = run({begin, end}, depth + 1), .blanks = ""};
            *begin = std::move(nested);
            tokens.erase(begin + 1, end);
        }
    }

    // A string that is compared with a column of times is a time; count() counts rows.
    void translateLiterals(QueryTokens& tokens) const {
        bool isTemporal = false;
        for (size_t i = 0; i < tokens.size(); ++i) {
            QueryToken& token = tokens[i];
            if (token.kind == QueryToken::Kind::String) {
                const auto time = isTemporal ? timeLiteral(token.unquoted()) : std::nullopt;
                token.string = time ? *time : quoted(token.unquoted());
            } else if (token.isWord("count") && i + 2 < tokens.size() && tokens[i + 1].string == "(" &&
                       tokens[i + 2].string == ")") {
                const QueryToken star{.kind = QueryToken::Kind::Other, .string = "*", .blanks = ""};
                tokens.insert(tokens.begin() + static_cast<ptrdiff_t>(i) + 2, star);
            } else if (token.isWord()) {
                const bool continues = token.isWord("and") || token.isWord("between") || token.isWord("in");
                if (!continues) isTemporal = names_.temporalColumns.count(token.name) != 0;
            }
        }
    }

    bool hasAggregate(const QueryTokens& tokens) const {
        for (size_t i = 0; i + 1 < tokens.size(); ++i) {
            if (tokens[i].isWord() && tokens[i + 1].string == "(" && names_.isAggregate(tokens[i].string)) return true;
        }
        return false;
    }

    std::string timeColumnOf(const QueryTokens& from) const {
        const auto known = names_.timeColumns.find(trimmedString(from));
        if (known == names_.timeColumns.end()) return std::string(kUsualTimeColumn);
        return isPlain(known->second) ? known->second : quotedName(known->second);
    }

    // The inner select groups by keys and buckets of time; the outer one puts the columns into the requested order.
    std::string sampled(Clauses& clauses) const {
        const std::string time = timeColumnOf(clauses[Clause::From]);
        const std::string duration = durationOf(withoutDefaults(clauses[Clause::SampleBy]));
        std::string outer, aggregates, keys;
        int number = 0;
        for (QueryTokens& part : splitAtCommas(clauses[Clause::Select])) {
            const SelectItem element = itemOf(std::move(part));
            const std::string string = trimmedString(element.expression);
            if (string.empty() || string == "*")
                throw UserError(
                    "With SAMPLE BY each column is named: select hostname, max(load) from cpu sample by 1h.");
            const bool isAggregate = hasAggregate(element.expression);
            if (!outer.empty()) outer += ", ";
            if (!isAggregate && mentions(element.expression, time)) {
                outer += element.alias.empty() ? string : string + " as " + element.alias;
                continue;
            }
            const bool isColumn = element.expression.size() == 1 && element.expression[0].isWord();
            const std::string name = isColumn && element.alias.empty() ? string : fmt::format("sampled_{}", ++number);
            (isAggregate ? aggregates : keys) += fmt::format(", {} as {}", string, name);
            outer += name;
            if (name != string)
                outer += " as " + (element.alias.empty() ? columnNameOf(element.expression) : element.alias);
        }
        if (aggregates.empty())
            throw UserError("With SAMPLE BY a select needs an aggregate, as in max(load) or count(*).");
        std::string query = fmt::format("select {} from (select {} from{}", outer, aggregates.substr(2),
                                        stringOf(clauses[Clause::From]));
        if (clauses.count(Clause::Where)) query += " where" + stringOf(clauses[Clause::Where]);
        query += fmt::format(" group by bar({}, {}) as {}{})", time, duration, time, keys);
        query += " order by" + (clauses.count(Clause::OrderBy) ? stringOf(clauses[Clause::OrderBy]) : ' ' + time);
        if (clauses.count(Clause::Limit)) query += " limit" + stringOf(clauses[Clause::Limit]);
        return query;
    }

    // Returns the query for the last row of each group by time.
    std::string latest(Clauses& clauses) const {
        const bool isOn = clauses.count(Clause::LatestOn) != 0;
        const std::string keys = trimmedString(clauses[isOn ? Clause::PartitionBy : Clause::LatestBy]);
        const std::string time = isOn ? trimmedString(clauses[Clause::LatestOn]) : timeColumnOf(clauses[Clause::From]);
        if (keys.empty() || time.empty() || clauses.count(Clause::GroupBy))
            throw UserError("LATEST is written as LATEST BY hostname, or LATEST ON timestamp PARTITION BY hostname.");
        std::string query =
            fmt::format("select{} from{}", stringOf(clauses[Clause::Select]), stringOf(clauses[Clause::From]));
        if (clauses.count(Clause::Where)) query += " where" + stringOf(clauses[Clause::Where]);
        query += fmt::format(" context by {} csort {} limit -1", keys, time);
        if (!clauses.count(Clause::OrderBy) && !clauses.count(Clause::Limit)) return query;
        query = "select * from (" + query + ")";
        if (clauses.count(Clause::OrderBy)) query += " order by" + stringOf(clauses[Clause::OrderBy]);
        if (clauses.count(Clause::Limit)) query += " limit" + stringOf(clauses[Clause::Limit]);
        return query;
    }

    // The name of a column without an alias, as our SQL makes it: max(load) is max_load.
    static std::string columnNameOf(const QueryTokens& tokens) {
        std::string name;
        for (const QueryToken& token : tokens) {
            if (!token.isWord() && token.kind != QueryToken::Kind::Number) continue;
            name += (name.empty() ? "" : "_") + (token.isWord() ? token.name : token.string);
        }
        return isPlain(name) ? name : quotedName(name.empty() ? "col_" + std::to_string(tokens.size()) : name);
    }

    const DialectNames& names_;
};

}  // namespace

std::string translateQuery(std::string_view query, const DialectNames& names) {
    return Translation(names).run(queryTokens(query));
}

}  // namespace pelorus
