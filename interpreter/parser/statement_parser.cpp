// Statements: sections 8 and 9 of the language.
#include <algorithm>
#include <array>

#include "interpreter/parser/parser_core.h"
#include "interpreter/parser/range_scope.h"

namespace pelorus {

static bool beginsStatement(const Token& token) {
    static constexpr std::array<std::string_view, 18> kWords = {
        "if",   "for",   "do",    "try",   "return", "throw",  "break", "continue", "def",
        "defg", "share", "undef", "timer", "assert", "module", "go",    "mapr",     "transaction"};
    return token.kind == TokenKind::Identifier && std::find(kWords.begin(), kWords.end(), token.source) != kWords.end();
}

// `;`, a line end, a word that begins a statement, or the end of the enclosing block. A closing brace ends a statement
// too.
void Parser::statementEnd() {
    const Token& token = peek();
    if (token.is(";") || token.is("}") || token.newlineBefore || token.kind == TokenKind::End) return;
    if (at_ > 0 && tokens_[at_ - 1].is("}")) return;
    // A word that can only begin a statement ends the one before it: t = table(1 as a) share t as st, x = 1 if (x > 0)
    // …
    if (beginsStatement(token)) return;
    if (token.is("=")) {
        fail(token, "Please use '==' rather than '=' as equal operator in non-sql expression. RefId: S06011",
             "Only names and elements of variables can be assigned.");
    }
    failUnexpected("an operator or the end of the statement");
}

NodeRef Parser::statement() {
    DepthGuard guard(*this);
    RangeScope range(*this);
    ModeScope scope(*this, Mode{});
    struct Nesting {
        int& depth;
        explicit Nesting(int& d) : depth(d) { ++depth; }
        ~Nesting() { --depth; }
    } nesting(statementDepth_);
    const Token& token = peek();
    if (token.is("@") && !isAnnotationValue()) return annotation();
    if (token.is("#")) {
        take();
        if (!peek().isWord("include")) failUnexpected("'include' after '#'");
        return directive(NodeKind::Include);
    }
    if (token.is("{")) {
        // A block, unless the code in the braces makes a function or dictionary.
        bool value =
            peek(1).is("}") || peek(2).is("->") || peek(2).is(":") || peek(1).isWord("def") || peek(1).isWord("defg");
        size_t names = 1;
        while (peek(names).kind == TokenKind::Identifier && peek(names + 1).is(",")) names += 2;
        value |= peek(names + 1).is("->");
        if (!value) return block();
    }
    if (token.kind == TokenKind::Identifier) {
        if (NodeRef node = statementOfKeyword()) return node;
    }
    return expressionOrAssignment();
}

// Returns null when the statement begins with an ordinary word.
NodeRef Parser::statementOfKeyword() {
    const Token& token = peek();
    const Token& next = peek(1);
    SourcePosition position = token.position;
    // A keyword-like word that is assigned, called or indexed is an ordinary name.
    bool assigned = next.is("=") || next.is("+=") || next.is("-=") || next.is("*=") || next.is("/=") || next.is(".") ||
                    next.is("[");
    bool called = next.is("(") && !next.spaceBefore;
    if (next.is("[") && next.spaceBefore) assigned = false;  // assert [1, 2] == x
    if (token.isWord("def") || token.isWord("defg")) {
        return next.is("(") ? NodeRef() : functionDefinition();
    }
    if (token.isWord("if")) return ifStatement();
    if (token.isWord("for")) return forStatement();
    if (token.isWord("do")) return doStatement();
    if (token.isWord("return")) return returnStatement();
    if (token.isWord("try")) return tryStatement();
    if (token.isWord("break") || token.isWord("continue")) {
        NodeKind kind = take().isWord("break") ? NodeKind::Break : NodeKind::Continue;
        return makeRef<Jump>(kind, position);
    }
    if (token.isWord("throw")) {
        take();
        return makeRef<Throw>(expression(), position);
    }
    if (token.isWord("while") || token.isWord("else") || token.isWord("catch")) {
        fail(token, "A statement can't begin with '" + std::string(token.source) + "'.",
             token.isWord("while") ? "Write do { … } while (condition)." : "");
    }
    if (token.isWord("assert") && !assigned) return assertStatement();
    if (token.isWord("timer") && !assigned) return timerStatement();
    if (token.isWord("share") && !assigned && !called) return shareStatement();
    if (token.isWord("share") && called) {
        size_t after = closing(at_ + 1) + 1;
        if (tokens_[std::min(after, tokens_.size() - 1)].isWord("as")) return shareStatement();
        return NodeRef();
    }
    const bool undefAll = called && peek(2).isWord("all") && peek(3).is(")");
    if (token.isWord("undef") && !assigned && (!called || undefAll)) return undefStatement();
    if (token.isWord("go") && (next.is(";") || next.is("}") || next.newlineBefore || next.kind == TokenKind::End)) {
        // Inside a function there are no parts to distinguish: nothing happens.
        if (functionDepth_ == 0 && statementDepth_ > 1) {
            fail(token, "'go' can't stand inside a block or a loop.",
                 "It ends a part of the script: write it between statements of the top level.");
        }
        take();
        return makeRef<Jump>(NodeKind::Go, position);
    }
    if (token.isWord("use") && next.kind == TokenKind::Identifier && !next.newlineBefore)
        return directive(NodeKind::Use);
    if (token.isWord("module") && next.kind == TokenKind::Identifier) return directive(NodeKind::Module);
    if (token.isWord("transaction") && next.is("{")) {
        take();
        return transactionBlock(position);
    }
    if (token.isWord("mapr") && next.kind == TokenKind::Identifier) return mapReduceDefinition();
    if (token.isWord("class") && next.kind == TokenKind::Identifier) return classDefinition();
    if (token.isWord("const") && next.kind == TokenKind::Identifier) {
        take();
        NodeRef node = expressionOrAssignment();
        if (node->kind != NodeKind::Assign) fail(peek(), "Expected '=' and a value after const.");
        static_cast<Assign&>(*node).isConst = true;
        return node;
    }
    if (startsDefinition()) {
        if (inTransaction_ && !token.isKeyword("drop")) {
            fail(token, "create and alter can't stand inside a transaction.", "Do it before.");
        }
        if (token.isKeyword("create")) return createStatement();
        return token.isKeyword("alter") ? alterStatement() : dropStatement();
    }
    return NodeRef();
}

NodeRef Parser::expressionOrAssignment() {
    SourcePosition position = peek().position;
    // &y = x: both names share one object
    if (peek().is("&") && peek(1).kind == TokenKind::Identifier && peek(2).is("=")) {
        take();
        NodeList targets = {makeRef<Name>(expectName("a name"), position)};
        NodeRef node = assignment(std::move(targets), position);
        static_cast<Assign&>(*node).byReference = true;
        return node;
    }
    NodeRef first = maybeAlias(expression());
    bool listed = peek().is(",") && sameLine();
    static constexpr std::string_view kAssignments[] = {"=", "+=", "-=", "*=", "/=", "\\="};
    bool assigns = false;
    for (std::string_view sign : kAssignments) assigns |= peek().is(sign);
    if (!assigns && !listed) return makeRef<ExpressionStatement>(std::move(first), position);

    // (a, b) = e is a, b = e
    bool bracketed =
        assigns && first->kind == NodeKind::TupleLiteral && static_cast<TupleLiteral&>(*first).items.size() > 1;
    NodeList targets = bracketed ? static_cast<TupleLiteral&>(*first).items : NodeList{std::move(first)};
    while (takeIf(",")) targets.push_back(expression());
    return assignment(std::move(targets), position);
}

void Parser::checkTarget(const NodeRef& target) {
    if (target->kind == NodeKind::Name) {
        static constexpr std::array<std::string_view, 11> kKeywords = {
            "mapr", "const", "share", "timer", "module", "use", "undef", "go", "update", "delete", "assert"};
        const std::string& name = static_cast<const Name&>(*target).name;
        if (std::find(kKeywords.begin(), kKeywords.end(), name) == kKeywords.end()) return;
        fail(peek(), "'" + name + "' is a keyword and can't be assigned.", "Choose another name.");
    }
    if (target->kind == NodeKind::Index) return;
    if (target->kind == NodeKind::Constant && !static_cast<const Constant&>(*target).spelling.empty()) {
        fail(peek(),
             "'" + static_cast<const Constant&>(*target).spelling + "' is a reserved word and can't be assigned.");
    }
    if (target->kind == NodeKind::Member) {
        fail(peek(), "Can't use assignment in expression.", "A member is assigned as x[\"name\"] = value.");
    }
    fail(peek(), "Please use '==' rather than '=' as equal operator in non-sql expression. RefId: S06011");
}

void Parser::noteTarget(const NodeRef& target) {
    if (target->kind == NodeKind::Name) defineVariable(static_cast<const Name&>(*target).name);
}

NodeRef Parser::assignment(NodeList targets, SourcePosition position) {
    const Token& sign = peek();
    bool compound = sign.source.size() == 2;
    if (!sign.is("=") && !compound) failUnexpected("'=' after the names");
    for (const NodeRef& target : targets) checkTarget(target);
    if (compound && targets.size() > 1)
        fail(sign, "Only one variable can be changed by " + std::string(sign.source) + ".");
    Operator op = compound ? operatorBySymbol(sign.source.substr(0, 1))->op : Operator::Add;
    take();
    NodeRef value = maybeAlias(expression());
    if (targets.size() > 1 && peek().is(",") && sameLine()) {
        NodeList items = {std::move(value)};
        while (takeIf(",")) items.push_back(expression());
        SourcePosition place = items.front()->position;
        value = makeRef<TupleLiteral>(std::move(items), place);
    }
    for (const NodeRef& target : targets) noteTarget(target);
    Ref<Assign> node = makeRef<Assign>(std::move(targets), std::move(value), position);
    node->compound = compound;
    node->op = op;
    return node;
}

NodeRef Parser::block() {
    SourcePosition position = peek().position;
    expect("{", "before the statements");
    ModeScope scope(*this, Mode{});
    NodeList statements;
    for (;;) {
        while (takeIf(";")) {
        }
        if (takeIf("}")) return makeRef<Block>(std::move(statements), position);
        if (peek().kind == TokenKind::End) {
            if (!recovered_) failUnexpected("'}' at the end of the block");
            noteRefused(
                syntaxError(position, "The '{' that begins here has no '}'.", "Write '}' where the block ends.", true));
            return makeRef<Block>(std::move(statements), position);
        }
        if (NodeRef node = wholeStatement()) statements.push_back(std::move(node));
    }
}

// transaction { …; commit } or { …; rollback }
NodeRef Parser::transactionBlock(SourcePosition position) {
    inTransaction_ = true;
    NodeRef body = block();
    inTransaction_ = false;
    NodeList& statements = static_cast<Block&>(*body).statements;
    std::string_view last;
    if (!statements.empty() && statements.back()->kind == NodeKind::ExpressionStatement) {
        const NodeRef& e = static_cast<const ExpressionStatement&>(*statements.back()).expression;
        if (e->kind == NodeKind::Name) last = static_cast<const Name&>(*e).name;
    }
    bool rollsBack = last == "rollback";
    if (rollsBack || last == "commit") statements.pop_back();
    Ref<TransactionBlock> node = makeRef<TransactionBlock>(std::move(body), position);
    node->rollsBack = rollsBack;
    return node;
}

// Parses the body of a branch or loop: a block or one statement.
NodeRef Parser::body() {
    if (peek().is("{")) return block();
    if (peek().is(";")) return makeRef<Block>(NodeList(), peek().position);
    return statement();
}

NodeRef Parser::ifStatement() {
    SourcePosition position = take().position;
    expect("(", "and the condition after 'if'");
    NodeRef condition;
    {
        ModeScope scope(*this, insideBrackets());
        condition = expression();
        expect(")", "after the condition");
    }
    NodeRef then = body();
    NodeRef otherwise;
    if (peek().is(";") && peek(1).isWord("else")) take();
    if (peek().isWord("else")) {
        take();
        otherwise = body();
    }
    return makeRef<If>(std::move(condition), std::move(then), std::move(otherwise), position);
}

NodeRef Parser::forStatement() {
    SourcePosition position = take().position;
    expect("(", "after 'for'");
    std::vector<std::string> variables;
    NodeRef range;
    {
        ModeScope scope(*this, insideBrackets());
        do {
            variables.push_back(expectName("a loop variable"));
            defineVariable(variables.back());
        } while (takeIf(","));
        if (!takeKeyword("in")) failUnexpected("'in' after the loop variable");
        range = expression();
        expect(")", "after what is looped over");
    }
    return makeRef<For>(std::move(variables), std::move(range), body(), position);
}

NodeRef Parser::doStatement() {
    SourcePosition position = take().position;
    NodeRef loop = body();
    if (peek().is(";") && peek(1).isWord("while")) take();
    if (!peek().isWord("while")) failUnexpected("'while' after the body of the loop");
    take();
    expect("(", "and the condition after 'while'");
    ModeScope scope(*this, insideBrackets());
    NodeRef condition = expression();
    expect(")", "after the condition");
    return makeRef<DoWhile>(std::move(loop), std::move(condition), position);
}

NodeRef Parser::returnStatement() {
    SourcePosition position = take().position;
    const Token& next = peek();
    if (next.is(";") || next.is("}") || next.newlineBefore || next.kind == TokenKind::End) {
        return makeRef<Return>(NodeRef(), position);
    }
    NodeRef value = maybeAlias(expression());
    if (peek().is(",") && sameLine()) {
        NodeList items = {std::move(value)};
        while (takeIf(",")) items.push_back(expression());
        SourcePosition place = items.front()->position;
        value = makeRef<TupleLiteral>(std::move(items), place);
    }
    return makeRef<Return>(std::move(value), position);
}

NodeRef Parser::tryStatement() {
    SourcePosition position = take().position;
    NodeRef attempted = block();
    if (!peek().isWord("catch")) {
        if (!recovered_) failUnexpected("'catch' after the block of try");
        noteRefused(syntaxError(position, "The 'try' that begins here has no 'catch'.",
                                "Write catch (ex) { … } after its block.", peek().kind == TokenKind::End));
        return makeRef<Try>(std::move(attempted), "", makeRef<Block>(NodeList(), position), position);
    }
    take();
    expect("(", "and a variable after 'catch'");
    std::string variable = expectName("a variable for the exception");
    expect(")", "after the variable");
    defineVariable(variable);
    return makeRef<Try>(std::move(attempted), std::move(variable), block(), position);
}

NodeRef Parser::assertStatement() {
    SourcePosition position = take().position;
    NodeRef name;
    if (peek().kind == TokenKind::Identifier && peek(1).is(",")) {
        name = stringConstant(peek().source, peek().position);
        take();
        take();
    }
    NodeRef condition = expression();
    if (!name && peek().is(",") && sameLine()) {
        take();
        name = std::move(condition);
        condition = expression();
    }
    NodeRef caseName;
    if (!testingCase_.empty()) caseName = stringConstant(testingCase_, position);
    if (!caseName && functionDepth_ == 0 && known(kTestingCase).role == NameRole::Variable) {
        caseName = makeRef<Name>(kTestingCase, position);
    }
    Ref<Assert> node = makeRef<Assert>(std::move(name), std::move(condition), position);
    node->caseName = std::move(caseName);
    return node;
}

// A bracket that holds one integer or name: how often something is timed.
bool Parser::isCount(size_t open) const {
    const Token& count = tokens_[std::min(open + 1, tokens_.size() - 1)];
    const Token& close = tokens_[std::min(open + 2, tokens_.size() - 1)];
    return close.is(")") && (count.kind == TokenKind::Number || count.kind == TokenKind::Identifier);
}

NodeRef Parser::timerStatement() {
    SourcePosition position = take().position;
    if (peek().is("{")) return makeRef<Timer>(NodeRef(), block(), position);
    NodeRef count;
    // timer (3) and the statement on the next line, or timer(n) body;
    const bool spaced = peek().is("(") && peek().spaceBefore && isCount(at_);
    if (peek().is("(") && (!peek().spaceBefore || spaced)) {
        // timer(n) body; but timer(expression) alone times it once.
        size_t after = closing(at_) + 1;
        const Token& next = tokens_[std::min(after, tokens_.size() - 1)];
        bool bodyFollows = next.is("{") || ((next.kind != TokenKind::Punctuation || next.is("(")) &&
                                            next.kind != TokenKind::End && (!next.newlineBefore || spaced));
        if (bodyFollows) {
            take();
            ModeScope scope(*this, insideBrackets());
            count = expression();
            expect(")", "after the number of runs");
        }
    }
    NodeRef timed = body();
    if (timed && timed->kind == NodeKind::ExpressionStatement)
        timed = static_cast<ExpressionStatement&>(*timed).expression;
    return makeRef<Timer>(std::move(count), std::move(timed), position);
}

NodeRef Parser::shareStatement() {
    if (functionDepth_ > 0) {
        fail(peek(), "The share statement can't be used in a function. RefId: S06002", "Call share(table, \"name\").");
    }
    SourcePosition position = take().position;
    NodeRef value = expression();
    // share (t, "name")
    if (value->kind == NodeKind::TupleLiteral && !peek().isKeyword("as")) {
        NodeList items = static_cast<const TupleLiteral&>(*value).items;
        return makeRef<ExpressionStatement>(callOf("share", std::move(items), position), position);
    }
    expectKeyword("as", "and the shared name");
    const Token& name = peek();
    if (name.kind == TokenKind::String || name.kind == TokenKind::Backtick) {
        take();
        return makeRef<Share>(std::move(value), name.text, position);
    }
    return makeRef<Share>(std::move(value), expectName("the shared name"), position);
}

// undef all, undef x, undef `x`y, SHARED: a call of undef.
NodeRef Parser::undefStatement() {
    SourcePosition position = take().position;
    NodeList list;
    const bool bracketed = takeIf("(");  // undef (x, SHARED)
    do {
        if (peek().kind == TokenKind::Identifier && list.empty()) {
            list.push_back(stringConstant(peek().source, peek().position));
            take();
        } else {
            list.push_back(expression());
        }
    } while (takeIf(","));
    if (bracketed) expect(")", "after what is undefined");
    return makeRef<ExpressionStatement>(callOf("undef", std::move(list), position), position);
}

std::string Parser::restOfLine() {
    size_t first = at_;
    while (peek().kind != TokenKind::End && !peek().newlineBefore && !peek().is(";")) take();
    return at_ > first ? sourceSince(first) : std::string();
}

NodeRef Parser::directive(NodeKind kind) {
    SourcePosition position = take().position;
    if (kind == NodeKind::Include) {
        if (peek().kind != TokenKind::String) failUnexpected("the path of a script in quotes");
        return makeRef<Directive>(kind, take().text, position);
    }
    if (kind == NodeKind::Use && peek().isKeyword("catalog")) {
        take();
        return makeRef<Directive>(kind, "catalog " + restOfLine(), position);
    }
    return makeRef<Directive>(kind, restOfLine(), position);
}

// @testing_case as a value: the value that an annotation has set.
bool Parser::isAnnotationValue() const {
    const Token& name = peek(1);
    if (!peek().is("@") || name.kind != TokenKind::Identifier || name.spaceBefore) return false;
    return known("@" + std::string(name.source)).role == NameRole::Variable;
}

// @jit and @state mark the function that follows. @topic: name = value, … sets the variables @topic_name.
NodeRef Parser::annotation() {
    SourcePosition position = take().position;
    std::string topic = expectName("the name of an annotation");
    if (topic == "jit") jitAnnotated_ = true;
    if (topic == "state") stateAnnotated_ = true;
    NodeList settings;
    if (takeIf(":")) {
        do {
            std::string name = expectName("the name of a setting");
            expect("=", "after the name of a setting");
            NodeRef value = expression();
            if (topic == "testing" && name == "case" && value->kind == NodeKind::Constant) {
                const Value& text = static_cast<const Constant&>(*value).value;
                if (text.isScalar() && text.type() == Type::String) testingCase_ = text.string();
            }
            std::string variable = "@" + topic + "_" + name;
            defineVariable(variable);
            NodeList target = {makeRef<Name>(std::move(variable), position)};
            settings.push_back(makeRef<Assign>(std::move(target), std::move(value), position));
        } while (takeIf(","));
    }
    if (!settings.empty()) {
        // @testing: case = "sums" assert x == 3
        bool more = !peek().newlineBefore && !peek().is(";") && peek().kind != TokenKind::End;
        if (NodeRef next = more ? statement() : NodeRef()) settings.push_back(std::move(next));
        return makeRef<Block>(std::move(settings), position);
    }
    bool functionFollows = peek().isWord("def") || peek().isWord("defg") || peek().is("@");
    return functionFollows ? statement() : NodeRef();
}

}  // namespace pelorus
