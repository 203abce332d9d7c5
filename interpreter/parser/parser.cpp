#include "interpreter/parser/parser.h"

#include <algorithm>
#include <memory>

#include "interpreter/parser/parser_core.h"
#include "runtime/registry/registry.h"

namespace pelorus {

NodeList parseScript(std::string_view text, const NameRoles& roles) {
    Parser parser(text, roles);
    NodeList statements;
    while (!parser.atEnd()) {
        for (NodeRef& node : parser.part()) statements.push_back(std::move(node));
    }
    return statements;
}

ScriptReader::ScriptReader(std::string_view text, NameRoles roles)
    : text_(text), roles_(std::move(roles)), parser_(std::make_unique<Parser>(text_, roles_)) {}

ScriptReader::~ScriptReader() = default;

bool ScriptReader::next(NodeList& part) {
    if (parser_->atEnd()) return false;
    begin_ = parser_->offset();
    part = parser_->part();
    return true;
}

NodeList ScriptReader::again() {
    parser_ = std::make_unique<Parser>(text_, roles_);
    parser_->skipTo(begin_);
    return parser_->part();
}

std::vector<ParserNote> ScriptReader::takeNotes() {
    return parser_->takeNotes();
}

NodeRef parseExpression(std::string_view text, const NameRoles& roles) {
    return Parser(text, roles).singleExpression();
}

NodeRef stringConstant(std::string_view text, SourcePosition position) {
    return makeRef<Constant>(Value::ofString(text), position);
}

NodeRef integerConstant(int32_t value, SourcePosition position) {
    return makeRef<Constant>(Value::ofInt(value), position);
}

// Counted in calls of the parser, of which a pair of brackets takes about four.
constexpr int kMaxDepth = 2000;

Parser::DepthGuard::DepthGuard(Parser& parser) : parser_(parser) {
    if (parser_.depth_ >= kMaxDepth) {
        parser_.fail(parser_.peek(), "The code is nested too deeply.", "Give inner parts a name, and use the names.");
    }
    ++parser_.depth_;
}

const Token& Parser::take() {
    const Token& token = tokens_[at_];
    if (token.kind != TokenKind::End) ++at_;
    return token;
}

bool Parser::takeIf(std::string_view punctuation) {
    if (!peek().is(punctuation)) return false;
    take();
    return true;
}

bool Parser::takeKeyword(std::string_view word) {
    if (!peek().isKeyword(word)) return false;
    take();
    return true;
}

void Parser::expect(std::string_view punctuation, std::string_view where) {
    if (takeIf(punctuation)) return;
    if (peek().is("=") && !mode_.inQuery) {
        fail(peek(), "Please use '==' rather than '=' as equal operator in non-sql expression. RefId: S06011",
             "Assign in a statement of its own.");
    }
    failUnexpected("'" + std::string(punctuation) + "' " + std::string(where));
}

void Parser::expectKeyword(std::string_view word, std::string_view where) {
    if (!takeKeyword(word)) failUnexpected("'" + std::string(word) + "' " + std::string(where));
}

std::string Parser::expectName(std::string_view what) {
    const Token& token = peek();
    if (token.kind != TokenKind::Identifier || isStatementKeyword(token)) failUnexpected(what);
    take();
    return std::string(token.source);
}

void Parser::fail(const Token& token, const std::string& what, std::string hint) const {
    throw syntaxError(token.position, what, std::move(hint), token.kind == TokenKind::End);
}

void Parser::failUnexpected(std::string_view expected) const {
    const Token& token = peek();
    constexpr size_t kLongestShown = 40;
    std::string found = token.kind == TokenKind::End ? "the text ends" : "found '";
    if (token.kind != TokenKind::End) {
        found +=
            std::string(token.source.substr(0, kLongestShown)) + (token.source.size() > kLongestShown ? "…'" : "'");
    }
    fail(token, "Expected " + std::string(expected) + ", but " + found + ".", bracketNote());
}

// Notes for text that ends or a bracket that closes too early: which bracket is open, or that none is.
std::string Parser::bracketNote() const {
    const Token& token = peek();
    const bool closes = token.is(")") || token.is("]") || token.is("}");
    if (!closes && token.kind != TokenKind::End) return {};
    std::vector<const Token*> open;
    for (size_t i = 0; i < at_; ++i) {
        const Token& t = tokens_[i];
        if (t.is("(") || t.is("[") || t.is("{")) open.push_back(&t);
        if ((t.is(")") || t.is("]") || t.is("}")) && !open.empty()) open.pop_back();
    }
    if (open.empty()) {
        return closes ? "No bracket is open that this " + std::string(token.source) + " could close." : std::string();
    }
    const Token& last = *open.back();
    const std::string_view partner = last.is("(") ? ")" : last.is("[") ? "]" : "}";
    if (closes && token.source == partner) return {};
    return "The " + std::string(last.source) + " of line " + std::to_string(last.position.line) + ", column " +
           std::to_string(last.position.column) + " is open: close it with " + std::string(partner) + ".";
}

size_t Parser::closing(size_t open) const {
    int level = 0;
    for (size_t i = open; i < tokens_.size(); ++i) {
        const Token& token = tokens_[i];
        if (token.kind != TokenKind::Punctuation || token.source.size() != 1) continue;
        char c = token.source[0];
        if (c == '(' || c == '[' || c == '{') ++level;
        if (c == ')' || c == ']' || c == '}') {
            if (--level == 0) return i;
        }
    }
    return tokens_.size() - 1;
}

void Parser::splitFirstCharacter() {
    Token rest = tokens_[at_];
    tokens_[at_].source = rest.source.substr(0, 1);
    rest.source = rest.source.substr(1);
    rest.position.column += 1;
    rest.spaceBefore = rest.newlineBefore = false;
    tokens_.insert(tokens_.begin() + static_cast<ptrdiff_t>(at_) + 1, std::move(rest));
}

std::string Parser::sourceSince(size_t first) const {
    const char* begin = tokens_[first].begin();
    const char* end = at_ > first ? tokens_[at_ - 1].end() : begin;
    return std::string(begin, end);
}

// The tokens from `first` up to `end` as they were written, with single blanks between them.
std::string Parser::sourceOnOneLine(size_t first, size_t end) const {
    std::string text;
    for (size_t i = first; i < end; ++i) {
        if (i > first && (tokens_[i].spaceBefore || tokens_[i].newlineBefore)) text += ' ';
        text += tokens_[i].source;
    }
    return text;
}

Parser::Known Parser::known(const std::string& name) const {
    for (size_t i = scopes_.size(); i-- > 0;) {
        auto found = scopes_[i].names.find(name);
        if (found != scopes_[i].names.end()) return found->second;
    }
    if (roles_.role) {
        NameRole role = roles_.role(name);
        if (role != NameRole::Unknown) return {role};
    }
    const BuiltinFunction* builtin = FunctionRegistry::instance().find(name);
    if (!builtin) return {};
    return {NameRole::Function, builtin->signature().minArguments(), builtin->signature().maxArguments()};
}

void Parser::defineVariable(const std::string& name) {
    scopes_.back().names[name] = {NameRole::Variable};
}

void Parser::defineFunction(const FunctionBody& function) {
    Known role{NameRole::Function, 0, static_cast<int>(function.parameters.size())};
    std::vector<std::string> names;
    for (const ParameterNode& parameter : function.parameters) {
        names.push_back(parameter.name);
        if (!parameter.defaultValue) ++role.minArguments;
    }
    scopes_.front().names[function.name] = role;
    parametersOf_[function.name] = std::move(names);
}

bool Parser::hasParameter(const NodeRef& callee, std::string_view parameter) const {
    if (callee->kind != NodeKind::Name) return false;
    const std::string& name = static_cast<const Name&>(*callee).name;
    auto own = parametersOf_.find(name);
    if (own != parametersOf_.end()) {
        return std::find(own->second.begin(), own->second.end(), parameter) != own->second.end();
    }
    if (roles_.parameters) {
        const std::vector<std::string> known = roles_.parameters(name);
        if (!known.empty()) return std::find(known.begin(), known.end(), parameter) != known.end();
    }
    const BuiltinFunction* builtin = FunctionRegistry::instance().find(name);
    if (!builtin) return false;
    const auto& parameters = builtin->signature().parameters;
    return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == parameter; });
}

bool Parser::atEnd() {
    while (takeIf(";")) {
    }
    return peek().kind == TokenKind::End;
}

NodeList Parser::part() {
    NodeList statements;
    while (!atEnd()) {
        NodeRef node = wholeStatement();
        bool ends = node && node->kind == NodeKind::Go;
        if (node) statements.push_back(std::move(node));
        if (ends) break;
    }
    return statements;
}

void Parser::skipTo(size_t offset) {
    while (peek().kind != TokenKind::End && this->offset() < offset) take();
}

NodeRef Parser::singleExpression() {
    mode_.newlineEnds = false;
    NodeRef node = maybeAlias(expression());
    while (takeIf(";")) {
    }
    if (peek().kind != TokenKind::End) failUnexpected("the end of the expression");
    return node;
}

}  // namespace pelorus
