#include "postgres/cache/lifted_literals.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "postgres/parse/tree.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kOperatorCharacters = "+-*/<>=~!@#%^&|`?";
constexpr size_t kMaxIntegerDigits = 18;
constexpr char kTextMark = '\1', kIntegerMark = '\2';

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

// Reads a text once. What stands before a literal decides whether it is taken out.
class LiteralLifter {
public:
    explicit LiteralLifter(std::string_view text) : text_(text) {}

    std::optional<LiftedText> run() {
        while (at_ < text_.size())
            if (!takeToken()) return {};
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
        BoundAnd
    };

    // Return false where the text is not of the simple kind.
    bool takeToken();
    bool takeWord();
    bool takeQuotedName();
    bool takeString();
    bool takeNumber();
    bool takeOperator();
    bool takeEnd();

    void keep(size_t end) {
        lifted_.shape += text_.substr(at_, end - at_);
        at_ = end;
    }
    bool isExpected() const {
        return before_ == Before::Comparison || before_ == Before::ListBegin || before_ == Before::ListComma ||
               before_ == Before::Between || before_ == Before::BoundAnd;
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
    void takeLiteral(size_t end, bool isText, std::string value) {
        if (!isExpected() || !endsOperand(end)) {
            keep(end);
            before_ = Before::Other;
            return;
        }
        lifted_.literals.push_back({at_, isText, std::move(value)});
        lifted_.shape += isText ? kTextMark : kIntegerMark;
        at_ = end;
        const bool isItem = before_ == Before::ListBegin || before_ == Before::ListComma;
        before_ = isItem ? Before::ListItem : before_ == Before::Between ? Before::FirstBound : Before::Other;
    }

    const std::string_view text_;
    size_t at_ = 0;
    Before before_ = Before::Other;
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
    if (std::isdigit(static_cast<unsigned char>(c)) || isFraction) return takeNumber();
    if (kOperatorCharacters.find(c) != std::string_view::npos) return takeOperator();
    if (c == ';') return takeEnd();
    if (c == '(' && before_ == Before::In) {
        before_ = Before::ListBegin;
    } else if (c == ',' && before_ == Before::ListItem) {
        before_ = Before::ListComma;
    } else {
        before_ = Before::Other;
    }
    keep(at_ + 1);
    return true;
}

bool LiteralLifter::takeWord() {
    size_t end = at_ + 1;
    while (end < text_.size() && continuesWord(text_[end])) ++end;
    if (end < text_.size() && text_[end] == '\'') return false;  // e'…', date'…'
    std::string word(text_.substr(at_, end - at_));
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    if (word == "in") {
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
        takeLiteral(end + 1, true, std::move(value));
    }
    return true;
}

bool LiteralLifter::takeNumber() {
    size_t end = at_;
    while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end]))) ++end;
    const bool isInteger = end == text_.size() || (text_[end] != '.' && !continuesWord(text_[end]));
    if (isInteger && end - at_ <= kMaxIntegerDigits) {
        takeLiteral(end, false, std::string(text_.substr(at_, end - at_)));
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
    const std::string_view word = text_.substr(at_, end - at_);
    const bool isComment = word.find("--") != std::string_view::npos || word.find("/*") != std::string_view::npos;
    const bool isEscape = word.ends_with('&') && end < text_.size() && (text_[end] == '"' || text_[end] == '\'');
    if (isComment || isEscape) return false;
    before_ = isComparison(word) ? Before::Comparison : Before::Other;
    keep(end);
    return true;
}

// A semicolon ends the text.
bool LiteralLifter::takeEnd() {
    if (nextSolid(at_ + 1) != '\0') return false;
    at_ = text_.size();
    return true;
}

// Puts parameters into conditions of a tree.
class ParameterPutter {
public:
    explicit ParameterPutter(const std::vector<LiftedLiteral>& literals) : literals_(literals) {}

    size_t count() const { return count_; }

    void visit(Json& node, bool isCondition) {
        if (node.is_array())
            for (Json& child : node) visit(child, isCondition);
        if (!node.is_object()) return;
        if (isCondition && node.contains("A_Expr")) compare(node["A_Expr"]);
        for (auto& [key, child] : node.items()) {
            const bool begins = key == "whereClause" || key == "quals";
            const bool ends = key == "subselect" || key == "subquery" || key == "ctequery";
            visit(child, begins || (isCondition && !ends));
        }
    }

private:
    void compare(Json& body) {
        const std::string kind = textOf(body, "kind");
        if (!body.contains("lexpr") || !body.contains("rexpr")) return;
        Json &left = body["lexpr"], &right = body["rexpr"];
        if (kind == "AEXPR_OP" && body["name"].size() == 1 && isComparison(wordOf(body["name"][0]))) {
            if (kindOf(left) == "ColumnRef") put(right);
            if (kindOf(right) == "ColumnRef") put(left);
        } else if ((kind == "AEXPR_IN" || kind == "AEXPR_BETWEEN" || kind == "AEXPR_NOT_BETWEEN") &&
                   kindOf(left) == "ColumnRef" && kindOf(right) == "List") {
            for (Json& item : right["List"]["items"]) put(item);
        }
    }

    void put(Json& node) {
        if (kindOf(node) != "A_Const") return;
        const int place = placeOf(bodyOf(node));
        const auto literal = std::lower_bound(
            literals_.begin(), literals_.end(), place,
            [](const LiftedLiteral& known, int wanted) { return static_cast<int>(known.begin) < wanted; });
        if (literal == literals_.end() || static_cast<int>(literal->begin) != place) return;
        if (!bodyOf(node).contains(literal->isText ? "sval" : "ival")) return;
        const auto number = literal - literals_.begin() + 1;
        node = Json{{"ParamRef", {{"number", number}, {"location", place}}}};
        ++count_;
    }

    const std::vector<LiftedLiteral>& literals_;
    size_t count_ = 0;
};

}  // namespace

std::optional<LiftedText> liftLiterals(std::string_view text) {
    return LiteralLifter(text).run();
}

bool putParameters(nlohmann::json& tree, const std::vector<LiftedLiteral>& literals) {
    ParameterPutter putter(literals);
    putter.visit(tree, false);
    return putter.count() == literals.size();
}

bool areLiftable(const std::vector<LiftedLiteral>& literals, const std::vector<Oid>& types) {
    if (literals.size() != types.size()) return false;
    const auto isNumber = [](Oid type) {
        return type == oid::kInt2 || type == oid::kInt4 || type == oid::kInt8 || type == oid::kFloat8;
    };
    const auto isOther = [](Oid type) {
        return type == oid::kText || type == oid::kVarchar || type == oid::kDate || type == oid::kTimestamp ||
               type == oid::kTimestamptz;
    };
    for (size_t i = 0; i < types.size(); ++i)
        if (!isNumber(types[i]) && !(literals[i].isText && isOther(types[i]))) return false;
    return true;
}

}  // namespace pelorus::postgres
