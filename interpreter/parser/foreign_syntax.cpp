#include "interpreter/parser/foreign_syntax.h"

#include <algorithm>
#include <vector>

#include "common/lookalike_characters.h"
#include "common/string/source_lines.h"
#include "interpreter/parser/lexer.h"
#include "interpreter/parser/parser.h"

namespace pelorus {

namespace {

// A phrase is a row of elements with blanks between them:
//   ^      the begin of a statement          $       the end of one, or of the line
//   NAME   any word; $1, $2 … in the advice  WORD    any word that the advice does not repeat
//   TEXT   a string                          NUMBER  a number; VALUE: one that the advice repeats as NAME
//   KEYWORD a word that can't be a name, repeated as NAME is
//   TYPE   a word with which other languages declare variables
//   ...    any tokens                        others  that word, in any letter case, or that sign
//   DOLLAR the sign $
// `~` before an element: no blank precedes it, `_`: a blank does.
struct Phrase {
    std::string_view elements;
    std::string_view advice;
    enum class Kind : uint8_t {
        Line,        // the parser stops in its line
        Head,        // the head of a block: the parser stops some lines further down
        NeverValid,  // the parser takes it, but no script with it does its work
    } kind = Kind::Line;
};
constexpr auto kHead = Phrase::Kind::Head, kNeverValid = Phrase::Kind::NeverValid;

constexpr std::string_view kTypes[] = {"int",  "double", "float",  "string", "str",   "long",   "bool",
                                       "char", "auto",   "var",    "let",    "val",   "short",  "byte",
                                       "my",   "local",  "global", "static", "final", "public", "private"};
// Words that begin a statement or are a constant, and so name nothing.
constexpr std::string_view kReserved[] = {"for",   "if",    "else",   "def",  "defg",  "select", "exec",
                                          "try",   "catch", "return", "do",   "while", "break",  "continue",
                                          "throw", "true",  "false",  "NULL", "null"};

constexpr Phrase kPhrases[] = {
    // ---- comments
    {"#", "A comment begins with //, or stands between /* and */."},
    {"- ~- _WORD", "A comment begins with //, or stands between /* and */."},
    {"for ( NAME =", "Write for ($1 in 0..9) { … }."},
    {"for ( WORD NAME =", "Write for ($1 in 0..9) { … }."},
    // ---- signs
    {"NAME ~+ ~+", "Write $1 += 1.", kNeverValid},
    {"NAME ~- ~- $", "Write $1 -= 1.", kNeverValid},
    {"^ + ~+ NAME", "Write $1 += 1.", kNeverValid},
    {"== ~=", "Write == to compare."},
    {"!= ~=", "Write != to compare."},
    {"NAME : ~=", "Assign with =: write $1 = …"},
    {"= ~>", "A function of one expression is written x -> x + 1, of two parameters (x, y) -> x + y."},
    {"| ~>", "Call the function: sum(x), or x.sum()."},
    {"% ~> ~%", "Call the function: sum(x), or x.sum()."},
    {"^ NAME <-", "Assign with =: write $1 = …"},
    {"^ NAME < ~-", "Assign with =: write $1 = …"},
    {"^ ? NAME", "Write help(\"$1\")."},
    {"[ : :", "A slice has no step: x[begin:end]; an index may be a vector, as in x[0 2 4]."},
    {"[ ::", "A slice has no step: x[begin:end]; an index may be a vector, as in x[0 2 4]."},
    {"TEXT ||", "Strings are joined with +: \"a\" + \"b\".", kNeverValid},
    {"|| TEXT", "Strings are joined with +: \"a\" + \"b\".", kNeverValid},
    {"TEXT . TEXT", "Strings are joined with +: \"a\" + \"b\"."},
    {"= f ~TEXT", "There are no f-strings: write \"x is \" + string(x).", kNeverValid},
    {"( f ~TEXT", "There are no f-strings: write \"x is \" + string(x).", kNeverValid},
    {"^ f ~TEXT", "There are no f-strings: write \"x is \" + string(x).", kNeverValid},
    {"= r ~TEXT", "Strings have no prefix: write \\\\ for a backslash."},
    {"= u ~TEXT", "Strings have no prefix and hold UTF-8: write \"…\"."},
    {"= @ ~TEXT", "Strings have no prefix: write \"…\"."},
    {"= DOLLAR ~TEXT", "Strings have no prefix: write \"x is \" + string(x)."},
    {"TEXT % NAME", "Write \"x is \" + string(x); format(x, \"0.00\") shapes numbers.", kNeverValid},
    {"TEXT % (", "Write \"x is \" + string(x); format(x, \"0.00\") shapes numbers.", kNeverValid},
    {"select ... QUOTED ~`",
     "Names are written without quotes: write $1; _\"any name\" for a column with an unusual one.", kNeverValid},
    {"where ... QUOTED ~`",
     "Names are written without quotes: write $1; _\"any name\" for a column with an unusual one.", kNeverValid},
    {"from QUOTED ~`", "Names are written without quotes: write $1; _\"any name\" for a column with an unusual one.",
     kNeverValid},
    {"update QUOTED ~`", "Names are written without quotes: write $1; _\"any name\" for a column with an unusual one.",
     kNeverValid},
    {"by QUOTED ~`", "Names are written without quotes: write $1; _\"any name\" for a column with an unusual one.",
     kNeverValid},
    {"^ NAME = ~+", "Write $1 += …"},
    {"is None", "Write x is null, or isNull(x)."},
    {"is not None", "Write x is not null, or isValid(x)."},
    // ---- functions and control flow
    {"^ def NAME ( ... ) return", "The body stands in braces: def $1(x) { return x + 1 }"},
    {"def NAME ( TYPE NAME", "Parameters have no declared type: def $1($2)."},
    {"def NAME ( NAME : ", "Parameters have no declared type: def $1($2)."},
    {"def NAME ( *", "A function has a fixed number of parameters; give it a vector or a tuple."},
    {"^ void NAME (", "Write def $1(x) { return x + 1 }.", kHead},
    {"^ public ... NAME (", "Write def $1(x) { return x + 1 }.", kHead},
    {"^ def NAME ( ... ) :", "The body stands in braces: def $1(x) { return x + 1 }", kHead},
    {"^ def NAME ( ... ) -> ... :", "The body stands in braces, without a type: def $1(x) { return x + 1 }", kHead},
    {"^ async def NAME", "Write def $1(x) { return x + 1 }; submitJob runs a function in the background.", kHead},
    {"^ function NAME (", "Write def $1(x) { return x + 1 }.", kHead},
    {"^ func NAME (", "Write def $1(x) { return x + 1 }.", kHead},
    {"^ fn NAME (", "Write def $1(x) { return x + 1 }.", kHead},
    {"^ fun NAME (", "Write def $1(x) { return x + 1 }.", kHead},
    {"^ create function", "Write def f(x) { return x + 1 }; addFunctionView(f) keeps it for all sessions."},
    {"function (", "Write x -> x + 1, or def (x) { return x + 1 }."},
    {"lambda NAME :", "Write $1 -> $1 + 1, or (x, y) -> x + y."},
    {"lambda NAME , ... :", "Write x -> x + 1, or (x, y) -> x + y."},
    {"[ ... for NAME in", "Write each($1 -> …, values), or compute with the whole vector: values * 2."},
    {"^ for NAME in", "The head stands in brackets, the body in braces: for ($1 in 0..9) { … }"},
    {"^ foreach (", "Write for (x in values) { … }, or each(f, values).", kHead},
    {"elif", "Write else if (condition) { … }.", kHead},
    {"elseif", "Write else if (condition) { … }.", kHead},
    {"elsif", "Write else if (condition) { … }.", kHead},
    {"= ... if NAME ... else", "Write condition ? a : b, or iif(condition, a, b) for vectors."},
    {"^ if ... :", "The condition stands in brackets, the body in braces: if (condition) { … } else { … }"},
    {"^ if ... then", "The condition stands in brackets, the body in braces: if (condition) { … } else { … }"},
    {"^ if NAME", "The condition stands in brackets: if (condition) { … } else { … }"},
    {"^ while",
     "The condition stands at the end: do { … } while (condition), inside of if (condition) { … } where the "
     "body may have to be left out."},
    {"^ switch (", "Write if (x == 1) { … } else if (x == 2) { … }; in queries case x when 1 then … else … end.",
     kHead},
    {"try :", "Write try { … } catch (e) { … }."},
    {"} except", "Write try { … } catch (e) { … }."},
    {"^ except", "Write try { … } catch (e) { … }."},
    {"except select", "Rows of one query without those of another: where x not in (exec x from …)."},
    {"intersect select", "Rows of one query that are in another, too: where x in (exec x from …)."},
    {"catch {", "Name the error that is caught: catch (e) { … }."},
    {"^ import", "use name loads a module of functions; most of numpy and pandas is built in, see help()."},
    {"^ from NAME import", "use name loads a module of functions; most of numpy and pandas is built in, see help()."},
    {"new NAME (", "Call the class like a function: $1(…)."},
    {"if ( NAME =", "Write == to compare; an assignment is a statement of its own."},
    // ---- variables
    {"^ KEYWORD =", "$1 is a word of the language: choose another name."},
    {"^ NAME = NAME =", "Assign one after the other: $2 = …; $1 = $2."},
    {"^ set NAME =", "Write $1 = …; a set is set(1 2 3)."},
    {"^ TYPE NAME =", "A variable is made by its first assignment, without a type: $1 = …"},
    {"^ const TYPE NAME =", "Write const $1 = …, without a type."},
    {"^ NAME : TYPE =", "A variable is made by its first assignment, without a type: $1 = …"},
    {"^ NAME = NUMBER , NAME =", "Write ; or a new line between statements, or $1, $2 = 1, 2."},
    {"^ NAME = NUMBER ,", "A vector is written 1 2 3 or [1, 2, 3], a tuple (1, `a, 2.5)."},
    {"^ NAME = TEXT ,", "A vector is written [\"a\", \"b\"], a tuple (1, `a, 2.5)."},
    {"^ NAME = NUMBER NAME =", "Write ; or a new line between statements."},
    {"^ NAME = TEXT NAME =", "Write ; or a new line between statements."},
    {"^ NAME = WORD NAME =", "Write ; or a new line between statements."},
    {"^ NAME . NAME =", "Write $1[\"$2\"] = …; a column is changed by update $1 set $2 = …"},
    // ---- SQL
    {"^ show tables", "objs() lists the variables, getTables(database(\"dfs://db\")) the tables of a database."},
    {"^ show databases", "getClusterDFSDatabases() lists the databases."},
    {"^ show columns from NAME", "Write schema($1).colDefs."},
    {"^ begin $", "Write transaction { … } around the statements."},
    {"^ begin transaction", "Write transaction { … } around the statements."},
    {"^ start transaction", "Write transaction { … } around the statements."},
    {"^ create index",
     "Tables have no index to create: indexedTable, keyedTable and the sort columns of a partitioned "
     "table find rows by key."},
    {"^ create view", "A view is a function: def v() { return select … from t }; addFunctionView(v) keeps it."},
    {"^ truncate table NAME", "Write delete from $1, or truncate(\"dfs://db\", \"$1\") for a table of a database.",
     kNeverValid},
    {"^ delete * from NAME", "Write delete from $1 where …"},
    {"^ delete NAME where", "Write delete from $1 where …"},
    {"^ insert NAME values", "Write insert into $1 values (…).", kNeverValid},
    {"^ insert NAME (", "Write insert into $1 (…) values (…)."},
    {"insert into NAME set", "Write insert into $1 (a, b) values (1, 2)."},
    {"^ update NAME NAME =", "Write update $1 set $2 = …"},
    {"set NAME ==", "A value is set with one =: set $1 = …"},
    {"set NAME NUMBER", "Write set $1 = …"},
    {"set NAME TEXT", "Write set $1 = …"},
    {"select first NUMBER", "Write select top 10 …, or limit 10 at the end."},
    {"join NAME using", "Write on and the condition: on a.key = b.key, or ej(a, b, `key)."},
    {"join NAME NAME using", "Write on and the condition: on a.key = b.key, or ej(a, b, `key)."},
    {"asof join", "Write select … from aj(t, quotes, `sym`time).", kNeverValid},
    {". drop ( TEXT", "Write dropColumns!(t, `name), or select the columns that stay.", kNeverValid},
    {". sort ( TEXT", "Write select * from t order by name, or sortBy!(t, `name).", kNeverValid},
    {". groupby ( TEXT", "Write select avg(x) from t group by name.", kNeverValid},
    {"cast ( NAME as", "Write int(x), double(x) …, or cast(x, INT)."},
    {"cast ( TEXT as", "Write int(x), double(x) …, or cast(x, INT)."},
    {"cast ( NUMBER as", "Write int(x), double(x) …, or cast(x, INT)."},
    {"extract ( WORD from", "Write year(x), monthOfYear(x), dayOfMonth(x), hour(x), minuteOfHour(x) …"},
    {"within group (", "Write percentile(x, 50), with the percent from 0 to 100."},
    {"interval NUMBER WORD", "A duration is written 1d, 2H, 30m: now() - 1d."},
    {"interval TEXT WORD", "A duration is written 1d, 2H, 30m: now() - 1d."},
    {"select if (", "Write iif(condition, a, b), or case when condition then a else b end."},
    {"select ... by NAME from", "The groups stand at the end: select … from t group by $1.", kNeverValid},
    {", from", "A comma stands before from: remove it, or write a column after it."},
    {", where", "A comma stands before where: remove it."},
    {"between NUMBER ,", "Write between 1 and 2, or between 1:2.", kNeverValid},
};

// ---- the clauses of a query in the order that the grammar requires

struct Clause {
    std::string_view first, second;
    int rank;
};
constexpr Clause kClauses[] = {
    {"from", "", 1},     {"where", "", 2},  {"group", "by", 3}, {"context", "by", 3}, {"pivot", "by", 3},
    {"cgroup", "by", 4}, {"having", "", 5}, {"order", "by", 6}, {"limit", "", 6},
};
constexpr std::string_view kOrder =
    "select … from … where … group by (context by, pivot by) … having … order by … limit …";

std::string_view withoutCase(std::string_view element, const Token& token) {
    return token.isKeyword(element) ? element : std::string_view();
}

bool isOpening(const Token& token) {
    return token.is("(") || token.is("[") || token.is("{");
}
bool isClosing(const Token& token) {
    return token.is(")") || token.is("]") || token.is("}");
}

// Returns "The clause where must stand before order by. …" for the query around that line whose clauses are out of
// order.
std::string clauseOrderAdvice(const std::vector<Token>& tokens, int32_t line) {
    for (size_t begin = 0; begin < tokens.size(); ++begin) {
        if (!tokens[begin].isKeyword("select") && !tokens[begin].isKeyword("exec")) continue;
        int level = 0;
        const Clause* last = nullptr;
        for (size_t i = begin + 1; i + 1 < tokens.size(); ++i) {
            level += isOpening(tokens[i]) ? 1 : 0;
            level -= isClosing(tokens[i]) ? 1 : 0;
            const bool otherBegins =
                tokens[i].isKeyword("select") || tokens[i].isKeyword("exec") || tokens[i].isKeyword("union");
            if (level < 0 || tokens[i].is(";") || (level == 0 && otherBegins)) break;
            if (level > 0) continue;
            const bool isClause = std::any_of(std::begin(kClauses), std::end(kClauses),
                                              [&](const Clause& c) { return tokens[i].isKeyword(c.first); });
            if (tokens[i].newlineBefore && !tokens[i - 1].is(",") && !isClause) break;
            for (const Clause& clause : kClauses) {
                if (!tokens[i].isKeyword(clause.first)) continue;
                if (!clause.second.empty() && !tokens[i + 1].isKeyword(clause.second)) continue;
                const bool isNear = tokens[begin].position.line <= line && line <= tokens[i].position.line;
                if (last && clause.rank < last->rank && isNear) {
                    const auto name = [](const Clause& c) {
                        return std::string(c.first) + (c.second.empty() ? "" : " ") + std::string(c.second);
                    };
                    return "The clause " + name(clause) + " must stand before " + name(*last) + ". The order is " +
                           std::string(kOrder);
                }
                last = &clause;
            }
        }
    }
    return {};
}

// ---- phrases

class PhraseMatcher {
public:
    PhraseMatcher(const std::vector<Token>& tokens, std::string_view elements) : tokens_(tokens) {
        while (!elements.empty()) {
            const size_t end = std::min(elements.find(' '), elements.size());
            if (end > 0) elements_.push_back(elements.substr(0, end));
            elements.remove_prefix(std::min(end + 1, elements.size()));
        }
    }

    bool matches() {
        for (size_t i = 0; i + 1 < tokens_.size(); ++i) {  // the last one is the end
            names_.clear();
            if (matchesAt(i, 0)) return true;
        }
        return false;
    }
    // The advice with $1, $2 … as the names that were found.
    std::string filled(std::string_view advice) const {
        std::string text;
        for (size_t i = 0; i < advice.size(); ++i) {
            const size_t place = i + 1 < advice.size() ? static_cast<size_t>(advice[i + 1] - '1') : names_.size();
            if (advice[i] == '$' && place < names_.size()) {
                text += names_[place];
                ++i;
            } else {
                text += advice[i];
            }
        }
        return text;
    }

private:
    bool endsStatement(size_t at) const {
        const Token& token = tokens_[at];
        return token.kind == TokenKind::End || token.newlineBefore || token.is(";") || token.is("}");
    }
    bool beginsStatement(size_t at) const {
        if (at == 0 || tokens_[at].newlineBefore) return true;
        const Token& before = tokens_[at - 1];
        return before.is(";") || before.is("{") || before.is("}");
    }

    bool matchesAt(size_t at, size_t element) {
        if (element == elements_.size()) return true;
        std::string_view wanted = elements_[element];
        if (wanted == "^") return beginsStatement(at) && matchesAt(at, element + 1);
        if (wanted == "$") return endsStatement(at);
        if (wanted == "...") {
            for (size_t i = at; i < tokens_.size() && !tokens_[i].is(";"); ++i) {
                const size_t names = names_.size();
                if (matchesAt(i, element + 1)) return true;
                names_.resize(names);
            }
            return false;
        }
        const Token& token = tokens_[at];
        if (wanted.size() > 1 && (wanted[0] == '~' || wanted[0] == '_')) {
            if (token.spaceBefore == (wanted[0] == '~') || at == 0) return false;
            wanted.remove_prefix(1);
        }
        if (wanted == "#" && tokens_[std::min(at + 1, tokens_.size() - 1)].isWord("include")) return false;
        if (!isMeant(wanted, token)) return false;
        return matchesAt(std::min(at + 1, tokens_.size() - 1), element + 1);
    }

    bool isMeant(std::string_view wanted, const Token& token) {
        if (wanted == "NAME" || wanted == "QUOTED") {
            if (token.kind != (wanted == "NAME" ? TokenKind::Identifier : TokenKind::Backtick)) return false;
            if (wanted == "QUOTED" && token.text.empty()) return false;
            names_.emplace_back(wanted == "NAME" ? std::string(token.source) : token.text);
            return true;
        }
        if (wanted == "KEYWORD") {
            const bool isReserved =
                token.kind == TokenKind::Identifier &&
                std::find(std::begin(kReserved), std::end(kReserved), token.source) != std::end(kReserved);
            if (isReserved) names_.emplace_back(token.source);
            return isReserved;
        }
        if (wanted == "VALUE" && token.kind == TokenKind::Number) {
            names_.emplace_back(token.source);
            return true;
        }
        if (wanted == "WORD") return token.kind == TokenKind::Identifier;
        if (wanted == "TEXT") return token.kind == TokenKind::String;
        if (wanted == "NUMBER") return token.kind == TokenKind::Number;
        if (wanted == "DOLLAR") return token.is("$");
        if (wanted == "`") return token.kind == TokenKind::Backtick && token.text.empty();
        if (wanted == "TYPE") {
            return token.kind == TokenKind::Identifier &&
                   std::find(std::begin(kTypes), std::end(kTypes), token.source) != std::end(kTypes);
        }
        return token.source == wanted || !withoutCase(wanted, token).empty();
    }

    const std::vector<Token>& tokens_;
    std::vector<std::string_view> elements_;
    std::vector<std::string> names_;
};

// Returns the tokens of a text, or of its part before the first character that is none.
std::vector<Token> tokensBeforeFault(std::string_view text) {
    for (;;) {
        try {
            return tokenize(text);
        } catch (const SyntaxError& e) {
            size_t lineBegin = 0;
            for (int32_t line = 1; line < e.position.line; ++line) lineBegin = text.find('\n', lineBegin) + 1;
            const size_t fault = lineBegin + static_cast<size_t>(e.position.column) - 1;
            if (fault >= text.size()) return {};
            text = text.substr(0, fault);
        }
    }
}

}  // namespace

// Keeps at most that many tokens around the column, and the last one, which is the end.
static void keepNear(std::vector<Token>& tokens, int32_t column, size_t most) {
    if (tokens.size() <= most) return;
    size_t at = 0;
    while (at + 1 < tokens.size() && tokens[at].position.column < column) ++at;
    const size_t begin = at > most / 2 ? at - most / 2 : 0;
    const size_t end = std::min(begin + most, tokens.size() - 1);
    tokens.erase(tokens.begin() + static_cast<ptrdiff_t>(end), tokens.end() - 1);
    tokens.erase(tokens.begin(), tokens.begin() + static_cast<ptrdiff_t>(begin));
}

// Returns the advice on a word where the parser stopped, or right before it: characters inside strings and comments are
// none of the language's, and names may hold some.
static std::string lookalikeNear(std::string_view script, SourcePosition position) {
    const std::vector<Token> line = tokensBeforeFault(lineOf(script, position.line));
    for (size_t i = 0; i + 1 < line.size(); ++i) {
        const bool isNear =
            line[i].position.column == position.column || line[i + 1].position.column == position.column;
        const bool isWord = line[i].kind == TokenKind::Identifier || line[i].kind == TokenKind::Number;
        std::string advice = isNear && isWord ? lookalikeAdvice(line[i].source) : std::string();
        if (!advice.empty()) return advice;
    }
    return {};
}

std::string foreignSyntaxAdvice(std::string_view script, SourcePosition position, bool isRunning) {
    if (!position.known()) return {};
    if (!isRunning) {
        if (std::string advice = lookalikeNear(script, position); !advice.empty()) return advice;
    }
    // Matching takes time that grows with a power of the number of tokens.
    constexpr size_t kMaxTokensOfLine = 200, kMaxTokensOfScript = 4000;
    constexpr int32_t kMaxLinesBack = 20;
    std::vector<Token> tokens;
    for (int32_t back = 0; back < std::min(position.line, kMaxLinesBack); ++back) {
        tokens = tokensBeforeFault(lineOf(script, position.line - back));
        keepNear(tokens, back == 0 ? position.column : 1, kMaxTokensOfLine);
        for (const Phrase& phrase : kPhrases) {
            const bool isMeant = isRunning ? phrase.kind == kNeverValid : back == 0 ? true : phrase.kind == kHead;
            PhraseMatcher matcher(tokens, phrase.elements);
            if (isMeant && matcher.matches()) return matcher.filled(phrase.advice);
        }
        if (isRunning) return {};
    }
    tokens = tokensBeforeFault(script);
    return tokens.size() <= kMaxTokensOfScript ? clauseOrderAdvice(tokens, position.line) : std::string();
}

}  // namespace pelorus
