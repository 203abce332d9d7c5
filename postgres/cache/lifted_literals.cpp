#include "postgres/cache/lifted_literals.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "postgres/parse/tree.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kOperatorCharacters = "+-*/<>=~!@#%^&|`?";
constexpr std::string_view kSignedOperatorCharacters = "~!@#%^&|`?";  // an operator with one of them may end in a sign
constexpr size_t kMaxIntegerDigits = 18;
constexpr size_t kMaxFractionDigits = 15;  // of all of the number
constexpr size_t kMaxLiterals = 256;
constexpr char kTextMark = '\1', kIntegerMark = '\2', kFractionMark = '\3';

bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool beginsWord(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalpha(byte) || c == '_' || byte >= 0x80;
}

bool continuesWord(char c) {
    return beginsWord(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '$';
}

bool isComparison(std::string_view word) {
    return word == "=" || word == "<" || word == ">" || word == "<=" || word == ">=" || word == "<>" || word == "!=";
}

bool isArithmetic(std::string_view word) {
    return word == "+" || word == "-" || word == "*" || word == "/";
}

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower;
}

// Reads a text once. What stands before a literal decides whether it is taken out.
class LiteralLifter {
public:
    explicit LiteralLifter(std::string_view text) : text_(text) {}

    std::optional<LiftedText> run() {
        while (at_ < text_.size())
            if (!takeToken() || lifted_.literals.size() > kMaxLiterals) return {};
        return std::move(lifted_);
    }

private:
    // What the token before was, as far as a literal behind it is of interest.
    enum class Before : uint8_t {
        Other,
        Comparison,
        In,
        ListBegin,
        ListItem,
        ListComma,
        Between,
        FirstBound,
        BoundAnd,
        Values,
        CellBegin,  // of the row of values
        Opening,    // any other parenthesis or comma
        Arithmetic
    };
    // The clause that the text is in. `Query` is none of a change.
    enum class Clause : uint8_t { Unknown, Query, Change, Assignments, Rows };

    // Return false where the text is not of the simple kind.
    bool takeToken();
    bool takeWord();
    bool takeQuotedName();
    bool takeString();
    bool takeNumber(bool isNegative);
    bool takeOperator();
    bool takeEnd();
    bool takeMark(char c);
    void noteClause(const std::string& word);

    void keep(size_t end) {
        lifted_.shape += text_.substr(at_, end - at_);
        at_ = end;
    }
    bool isExpected() const {
        return before_ == Before::Comparison || before_ == Before::ListBegin || before_ == Before::ListComma ||
               before_ == Before::Between || before_ == Before::BoundAnd || before_ == Before::CellBegin ||
               before_ == Before::Arithmetic;
    }
    bool isChange() const { return clause_ != Clause::Unknown && clause_ != Clause::Query; }
    bool beginsDigit(size_t at) const {
        return at < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at]));
    }
    char nextSolid(size_t from) const {
        while (from < text_.size() && isBlank(text_[from])) ++from;
        return from < text_.size() ? text_[from] : '\0';
    }
    // What is behind the literal belongs to it when it is a cast or an operator.
    bool endsOperand(size_t end) const {
        const char next = nextSolid(end);
        return next == '\0' || next == ')' || next == ',' || next == ';' || beginsWord(next);
    }
    void takeLiteral(size_t end, LiftedLiteral::Kind kind, std::string value) {
        using Kind = LiftedLiteral::Kind;
        const bool isTaken =
            isExpected() && endsOperand(end) &&
            (kind == Kind::Integer || (kind == Kind::Text ? before_ != Before::Arithmetic
                                                          : clause_ == Clause::Assignments || clause_ == Clause::Rows));
        if (!isTaken) {
            keep(end);
            before_ = Before::Other;
            return;
        }
        lifted_.shape += kind == Kind::Text ? kTextMark : kind == Kind::Integer ? kIntegerMark : kFractionMark;
        // The scale of a number is a part of its type.
        if (kind == Kind::Fraction) lifted_.shape += static_cast<char>('A' + value.size() - 1 - value.find('.'));
        lifted_.literals.push_back({at_, kind, std::move(value)});
        at_ = end;
        const bool isItem = before_ == Before::ListBegin || before_ == Before::ListComma;
        before_ = isItem ? Before::ListItem : before_ == Before::Between ? Before::FirstBound : Before::Other;
    }

    const std::string_view text_;
    size_t at_ = 0;
    Before before_ = Before::Other;
    Clause clause_ = Clause::Unknown;
    int depth_ = 0;     // of parentheses
    int rowDepth_ = 0;  // that of the cells of the row of values; 0: it is not being read
    LiftedText lifted_;
};

bool LiteralLifter::takeToken() {
    const char c = text_[at_];
    if (isBlank(c)) {
        keep(at_ + 1);
        return true;
    }
    if (static_cast<unsigned char>(c) < ' ' || c == '$') return false;
    if (beginsWord(c)) return takeWord();
    if (c == '"') return takeQuotedName();
    if (c == '\'') return takeString();
    const bool isFraction =
        c == '.' && at_ + 1 < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_ + 1]));
    if (std::isdigit(static_cast<unsigned char>(c)) || isFraction) return takeNumber(false);
    if (kOperatorCharacters.find(c) != std::string_view::npos) return takeOperator();
    if (c == ';') return takeEnd();
    return takeMark(c);
}

// Takes a parenthesis, a comma, or any other mark.
bool LiteralLifter::takeMark(char c) {
    Before now = Before::Other;
    if (c == '(') {
        ++depth_;
        now = before_ == Before::In ? Before::ListBegin : Before::Opening;
        if (before_ == Before::Values) {
            now = Before::CellBegin;
            rowDepth_ = depth_;
        }
    } else if (c == ')') {
        if (depth_ == rowDepth_) rowDepth_ = 0;
        --depth_;
    } else if (c == ',') {
        // Many rows are read in another way: see cutLiteralRows.
        if (clause_ == Clause::Rows && depth_ == 0) return false;
        now = before_ == Before::ListItem ? Before::ListComma : Before::Opening;
        if (rowDepth_ > 0 && depth_ == rowDepth_) now = Before::CellBegin;
    }
    before_ = now;
    keep(at_ + 1);
    return true;
}

// Notes which clause a word begins.
void LiteralLifter::noteClause(const std::string& word) {
    if (clause_ == Clause::Unknown) {
        clause_ = word == "insert" || word == "update" || word == "delete" ? Clause::Change : Clause::Query;
    } else if (clause_ != Clause::Query && depth_ == 0) {
        if (word == "set") clause_ = Clause::Assignments;
        if (word == "values") clause_ = Clause::Rows;
        if (word == "where" || word == "from" || word == "on" || word == "returning") clause_ = Clause::Change;
    }
}

bool LiteralLifter::takeWord() {
    size_t end = at_ + 1;
    while (end < text_.size() && continuesWord(text_[end])) ++end;
    if (end < text_.size() && text_[end] == '\'') return false;  // e'…', date'…'
    const std::string word = lowerCase(text_.substr(at_, end - at_));
    noteClause(word);
    if (word == "values" && clause_ == Clause::Rows && depth_ == 0) {
        before_ = Before::Values;
    } else if (word == "in") {
        before_ = Before::In;
    } else if (word == "between") {
        before_ = Before::Between;
    } else {
        before_ = word == "and" && before_ == Before::FirstBound ? Before::BoundAnd : Before::Other;
    }
    keep(end);
    return true;
}

bool LiteralLifter::takeQuotedName() {
    size_t end = at_ + 1;
    for (; end < text_.size(); ++end) {
        if (text_[end] != '"') continue;
        if (end + 1 >= text_.size() || text_[end + 1] != '"') break;
        ++end;
    }
    if (end >= text_.size()) return false;
    before_ = Before::Other;
    keep(end + 1);
    return true;
}

bool LiteralLifter::takeString() {
    std::string value;
    size_t end = at_ + 1;
    for (; end < text_.size(); ++end) {
        if (text_[end] == '\'') {
            if (end + 1 >= text_.size() || text_[end + 1] != '\'') break;
            ++end;
        }
        if (text_[end] == '\\' || static_cast<unsigned char>(text_[end]) < ' ') return false;
        value += text_[end];
    }
    // Strings with a line between them are one.
    if (end >= text_.size() || nextSolid(end + 1) == '\'') return false;
    if (value.empty()) {
        keep(end + 1);
        before_ = Before::Other;
    } else {
        takeLiteral(end + 1, LiftedLiteral::Kind::Text, std::move(value));
    }
    return true;
}

// Takes a number, whose sign is the character at the place that was reached.
bool LiteralLifter::takeNumber(bool isNegative) {
    const size_t begin = at_ + (isNegative ? 1 : 0);
    size_t end = begin;
    while (beginsDigit(end)) ++end;
    const size_t whole = end - begin;
    if (whole > 0 && end < text_.size() && text_[end] == '.' && beginsDigit(end + 1))
        for (++end; beginsDigit(end);) ++end;
    const size_t digits = end - begin - (end - begin > whole ? 1 : 0);
    const bool isPlain = whole > 0 && (end == text_.size() || (text_[end] != '.' && !continuesWord(text_[end])));
    const bool isInteger = digits == whole;
    if (isPlain && digits <= (isInteger ? kMaxIntegerDigits : kMaxFractionDigits)) {
        takeLiteral(end, isInteger ? LiftedLiteral::Kind::Integer : LiftedLiteral::Kind::Fraction,
                    std::string(text_.substr(at_, end - at_)));
        return true;
    }
    while (end < text_.size() && (continuesWord(text_[end]) || text_[end] == '.')) ++end;
    keep(end);
    before_ = Before::Other;
    return true;
}

bool LiteralLifter::takeOperator() {
    size_t end = at_;
    while (end < text_.size() && kOperatorCharacters.find(text_[end]) != std::string_view::npos) ++end;
    std::string_view word = text_.substr(at_, end - at_);
    const bool isComment = word.find("--") != std::string_view::npos || word.find("/*") != std::string_view::npos;
    const bool isEscape = word.ends_with('&') && end < text_.size() && (text_[end] == '"' || text_[end] == '\'');
    if (isComment || isEscape) return false;
    // As PostgreSQL reads it: a sign behind other operators is one of its own.
    if (word.find_first_of(kSignedOperatorCharacters) == std::string_view::npos)
        while (word.size() > 1 && (word.ends_with('-') || word.ends_with('+'))) word.remove_suffix(1);
    end = at_ + word.size();
    if (word == "-" && (isExpected() || before_ == Before::Opening) && beginsDigit(end)) return takeNumber(true);
    before_ = isComparison(word)                                             ? Before::Comparison
              : isArithmetic(word) && isChange() && before_ == Before::Other ? Before::Arithmetic
                                                                             : Before::Other;
    keep(end);
    return true;
}

// A semicolon ends the text.
bool LiteralLifter::takeEnd() {
    if (nextSolid(at_ + 1) != '\0') return false;
    at_ = text_.size();
    return true;
}

// Puts parameters into conditions and new values of a tree.
class ParameterPutter {
public:
    explicit ParameterPutter(const std::vector<LiftedLiteral>& literals)
        : literals_(literals), uses_(literals.size(), LiteralUse::Missing) {}

    const std::vector<LiteralUse>& uses() const { return uses_; }

    void visitStatement(Json& tree) {
        const std::string_view kind = kindOf(tree);
        if (kind == "InsertStmt" || kind == "UpdateStmt" || kind == "DeleteStmt") {
            Json& body = bodyOfChange(tree);
            if (kind == "UpdateStmt") assign(body);
            if (body.contains("onConflictClause")) assign(body["onConflictClause"]);
            if (kind == "InsertStmt" && body.contains("selectStmt")) fill(bodyOfChange(body["selectStmt"]));
        }
        visit(tree, Place::Elsewhere);
    }

private:
    enum class Place : uint8_t { Elsewhere, Condition, NewValue };

    static Json& bodyOfChange(Json& node) { return node.begin().value(); }

    // Puts those of `set`.
    void assign(Json& body) {
        if (!body.contains("targetList")) return;
        for (Json& item : body["targetList"]) {
            Json& target = bodyOfChange(item);
            if (!target.contains("val")) continue;
            put(target["val"], LiteralUse::Assigned);
            visit(target["val"], Place::NewValue);
        }
    }

    // Puts those of `values`.
    void fill(Json& select) {
        if (!select.contains("valuesLists")) return;
        for (Json& list : select["valuesLists"]) {
            for (Json& item : bodyOfChange(list)["items"]) {
                put(item, LiteralUse::Assigned);
                visit(item, Place::NewValue);
            }
        }
    }

    void visit(Json& node, Place place) {
        if (node.is_array())
            for (Json& child : node) visit(child, place);
        if (!node.is_object()) return;
        if (node.contains("A_Expr")) {
            if (place == Place::Condition) compare(node["A_Expr"]);
            if (place == Place::NewValue) compute(node["A_Expr"]);
        }
        for (auto& [key, child] : node.items()) {
            const bool begins = key == "whereClause" || key == "quals";
            const bool ends = key == "subselect" || key == "subquery" || key == "ctequery";
            visit(child, begins ? Place::Condition : ends ? Place::Elsewhere : place);
        }
    }

    void compare(Json& body) {
        const std::string kind = textOf(body, "kind");
        if (!body.contains("lexpr") || !body.contains("rexpr")) return;
        Json &left = body["lexpr"], &right = body["rexpr"];
        if (kind == "AEXPR_OP" && body["name"].size() == 1 && isComparison(wordOf(body["name"][0]))) {
            if (kindOf(left) == "ColumnRef") put(right, LiteralUse::Compared);
            if (kindOf(right) == "ColumnRef") put(left, LiteralUse::Compared);
        } else if ((kind == "AEXPR_IN" || kind == "AEXPR_BETWEEN" || kind == "AEXPR_NOT_BETWEEN") &&
                   kindOf(left) == "ColumnRef" && kindOf(right) == "List") {
            for (Json& item : right["List"]["items"]) put(item, LiteralUse::Compared);
        }
    }

    void compute(Json& body) {
        const bool isOperator = textOf(body, "kind") == "AEXPR_OP" && body["name"].size() == 1;
        if (!isOperator || !body.contains("lexpr") || !body.contains("rexpr")) return;
        if (!isArithmetic(wordOf(body["name"][0]))) return;
        put(body["rexpr"], LiteralUse::Operand);
    }

    void put(Json& node, LiteralUse use) {
        using Kind = LiftedLiteral::Kind;
        if (kindOf(node) != "A_Const") return;
        const int place = placeOf(bodyOf(node));
        const auto literal = std::lower_bound(
            literals_.begin(), literals_.end(), place,
            [](const LiftedLiteral& known, int wanted) { return static_cast<int>(known.begin) < wanted; });
        if (literal == literals_.end() || static_cast<int>(literal->begin) != place) return;
        const bool isLong = bodyOf(node).contains("fval");
        const bool isFit = literal->kind == Kind::Text       ? bodyOf(node).contains("sval")
                           : literal->kind == Kind::Fraction ? isLong
                           // An operand beyond integer has another type.
                           : isLong ? use != LiteralUse::Operand
                                    : bodyOf(node).contains("ival");
        if (!isFit) return;
        const auto number = static_cast<size_t>(literal - literals_.begin());
        Json parameter = {{"number", number + 1}, {"location", place}};
        if (use == LiteralUse::Operand) {
            const bool isWhole = literal->kind == Kind::Integer;
            parameter["literalType"] = isWhole ? oid::kInt4 : oid::kNumeric;
            parameter["literalScale"] = isWhole ? 0 : literal->value.size() - 1 - literal->value.find('.');
        }
        node = Json{{"ParamRef", std::move(parameter)}};
        uses_[number] = use;
    }

    const std::vector<LiftedLiteral>& literals_;
    std::vector<LiteralUse> uses_;
};

bool isLiftable(const LiftedLiteral& literal, LiteralUse use, Oid type) {
    using Kind = LiftedLiteral::Kind;
    const bool isWhole = type == oid::kInt2 || type == oid::kInt4 || type == oid::kInt8;
    switch (use) {
        case LiteralUse::Missing:
            return false;
        case LiteralUse::Operand:
            return true;
        case LiteralUse::Compared:
            if (literal.kind == Kind::Fraction) return false;
            break;
        case LiteralUse::Assigned:
            if (type == oid::kNumeric) return true;
            if (literal.kind == Kind::Fraction) return type == oid::kFloat8;
            if (literal.kind == Kind::Text && (type == oid::kBpchar || type == oid::kBool)) return true;
            break;
    }
    if (isWhole || type == oid::kFloat8) return true;
    return literal.kind == Kind::Text && (type == oid::kText || type == oid::kVarchar || type == oid::kDate ||
                                          type == oid::kTimestamp || type == oid::kTimestamptz);
}

}  // namespace

std::optional<LiftedText> liftLiterals(std::string_view text) {
    return LiteralLifter(text).run();
}

std::optional<std::vector<LiteralUse>> putParameters(nlohmann::json& tree, const std::vector<LiftedLiteral>& literals) {
    ParameterPutter putter(literals);
    putter.visitStatement(tree);
    const std::vector<LiteralUse>& uses = putter.uses();
    if (std::find(uses.begin(), uses.end(), LiteralUse::Missing) != uses.end()) return {};
    return uses;
}

bool areLiftable(const std::vector<LiftedLiteral>& literals, const std::vector<LiteralUse>& uses,
                 const std::vector<Oid>& types) {
    if (literals.size() != types.size() || uses.size() != types.size()) return false;
    for (size_t i = 0; i < types.size(); ++i)
        if (!isLiftable(literals[i], uses[i], types[i])) return false;
    return true;
}

}  // namespace pelorus::postgres
