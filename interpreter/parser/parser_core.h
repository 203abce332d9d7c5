// Parser is the recursive-descent parser: one class, implemented in the files that the comments below name.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interpreter/parser/lexer.h"
#include "interpreter/parser/parser.h"
#include "interpreter/parser/recovered_script.h"
#include "interpreter/parser/syntax_error.h"
#include "runtime/code/made_call.h"
#include "runtime/code/query.h"
#include "runtime/code/statement.h"

namespace pelorus {

class Parser {
public:
    Parser(std::string_view text, const NameRoles& roles)
        : text_(text), tokens_(tokenize(text)), roles_(roles), scopes_(1) {}
    // Parses a text whose tokens are known; a refused statement is recorded in `recovered`, and parsing continues with
    // the next one.
    Parser(std::string_view text, std::vector<Token> tokens, const NameRoles& roles, RecoveredScript& recovered)
        : text_(text), tokens_(std::move(tokens)), roles_(roles), scopes_(1), recovered_(&recovered) {}

    // Parses the statements up to and with a `go`, or to the end of the text.
    NodeList part();
    bool atEnd();
    NodeRef singleExpression();
    // Returns the offset of the next token in the text; skipTo goes to an offset.
    size_t offset() const { return static_cast<size_t>(peek().begin() - text_.data()); }
    void skipTo(size_t offset);
    std::vector<ParserNote> takeNotes() { return std::exchange(notes_, {}); }
    std::vector<Token> takeTokens() { return std::move(tokens_); }

private:
    // ---- modes that change the reading of a token
    struct Mode {
        bool newlineEnds = true;      // a line end ends the expression: not inside brackets
        bool inQuery = false;         // `=` compares, clause keywords end expressions
        bool pairAllowed = true;      // false between ? and : of a ternary
        bool metacodeCloses = false;  // `>` may close metacode at this bracket level
        bool inMetacode = false;      // `=` compares there too
        bool queryOutside = false;    // the metacode is in a select list or clause: a clause keyword may follow it
    };
    // Restores the mode when a bracket, query or body ends.
    class ModeScope {
    public:
        ModeScope(Parser& parser, Mode mode) : parser_(parser), saved_(parser.mode_) { parser.mode_ = mode; }
        ~ModeScope() { parser_.mode_ = saved_; }
        ModeScope(const ModeScope&) = delete;

    private:
        Parser& parser_;
        Mode saved_;
    };
    Mode insideBrackets() const { return {false, mode_.inQuery, true, false, mode_.inMetacode}; }

    // Refuses text that is nested so deep that reading it could exhaust the stack.
    class DepthGuard {
    public:
        explicit DepthGuard(Parser& parser);
        ~DepthGuard() { --parser_.depth_; }
        DepthGuard(const DepthGuard&) = delete;

    private:
        Parser& parser_;
    };

    // ---- tokens
    const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
    const Token& take();
    bool takeIf(std::string_view punctuation);
    bool takeKeyword(std::string_view word);
    void expect(std::string_view punctuation, std::string_view where);
    void expectKeyword(std::string_view word, std::string_view where);
    std::string expectName(std::string_view what);
    [[noreturn]] void fail(const Token& token, const std::string& what, std::string hint = "") const;
    [[noreturn]] void failUnexpected(std::string_view expected) const;
    std::string bracketNote() const;
    // Returns whether the next token belongs to the same expression as the last one.
    bool sameLine() const { return !mode_.newlineEnds || !peek().newlineBefore; }
    bool sameLine(size_t ahead) const { return !mode_.newlineEnds || !peek(ahead).newlineBefore; }
    // Returns the index of the token that closes the bracket at `open`, or of End.
    size_t closing(size_t open) const;
    // Splits a token such as `>>` or `<-` so that its first character becomes a token.
    void splitFirstCharacter();
    std::string sourceSince(size_t first) const;
    std::string sourceOnOneLine(size_t first, size_t end) const;

    // ---- names
    struct Known {
        NameRole role = NameRole::Unknown;
        int minArguments = -1, maxArguments = -1;  // numbers of arguments of a function; -1: unknown
        const std::vector<std::string>* parameters = nullptr;
    };
    Known known(const std::string& name) const;
    void defineVariable(const std::string& name);
    void defineFunction(const FunctionBody& function);
    bool hasParameter(const NodeRef& callee, std::string_view parameter) const;

    // Limit for a chain such as 1+1+1+…, whose tree is as deep as it is long: later passes walk it recursively.
    static constexpr int kMaxChain = 2000;

    // ---- expression_parser.cpp
    NodeRef expression() { return binary(0); }
    NodeRef binary(int lowest);
    NodeRef unary();
    NodeRef comparison(Operator op, NodeRef left, NodeRef right, bool chained, SourcePosition position);
    void noteTernaryOperand(size_t first, Operator op, const NodeRef& left, const Ternary& right);
    NodeRef betweenRange();
    NodeRef infixFunction();
    NodeRef higherOrder(NodeRef function);
    bool startsPredicate() const;
    bool meansInfix(const NodeRef& left) const;
    struct Infix {
        enum class Kind : uint8_t { None, Operator, Function, IsNull, NotPredicate } kind = Kind::None;
        Operator op = Operator::Add;
        int precedence = 0;
    };
    Infix peekInfix() const;
    bool closesMetacode() const;
    bool startsOperand(size_t ahead) const;
    // Returns whether a word is an operator between two operands in a query.
    static bool isConditionWord(const Token& token);
    bool isClauseWord(const Token& token) const;
    static bool isStatementKeyword(const Token& token);
    bool isPattern(size_t ahead) const;
    // Returns the end of the function between two operands that starts at token `ahead`.
    size_t functionEnd(size_t ahead) const;
    bool isOperatorValue() const;

    // ---- operand_parser.cpp
    NodeRef postfix();
    NodeRef primary();
    NodeRef identifierOperand();
    NodeRef maybePrefixCall(NodeRef callee);
    bool isSpacedCall(const NodeRef& callee) const;
    NodeRef ternary(NodeRef condition);
    NodeRef memberAccess(NodeRef object);
    NodeRef index(NodeRef object);
    NodeRef slot(std::string_view close);
    NodeRef parenthesised();
    NodeRef list();
    // Takes an element of a list that is a plain number or string, the common case, without the way through all levels
    // of expressions; returns false, and takes nothing, when it is something else.
    bool takeConstantItem(NodeList& items);
    NodeRef braces();
    bool bracesHoldLambda() const;
    NodeRef metacode();
    bool startsExplain() const;
    NodeRef explainStatement();
    NodeRef operatorValue();
    NodeRef caseExpression();
    NodeRef maybeAlias(NodeRef value);
    std::vector<Argument> arguments(std::string_view close, const NodeRef& callee);
    NodeRef arrowLambda();

    // ---- standard_forms.cpp
    // Returns an operand that begins with a word of standard SQL; null, having taken nothing, for others.
    NodeRef standardForm();
    NodeRef intervalForm();
    NodeRef extractForm();
    NodeRef wordsInBrackets();
    NodeRef substringForm();
    NodeRef positionForm();
    NodeRef trimForm();
    NodeRef castForm();
    // sum(x) filter (where c)
    NodeRef filtered(NodeRef call);

    // ---- literal_parser.cpp
    bool startsLiteral(size_t ahead) const;
    NodeRef literalRun();
    Value literal();

    // ---- query_parser.cpp
    bool startsQuery() const;
    NodeRef query();
    NodeRef selectQuery();
    void withClause(Query& query);
    void hint(Query& query);
    void top(Query& query);
    SelectItem selectItem();
    std::vector<SelectItem> selectItems();
    void alias(SelectItem& item);
    std::vector<std::string> aliasNames();
    void whereClause(Query& query);
    void groupingClause(Query& query);
    void tailClauses(Query& query);
    std::vector<OrderItem> orderItems();
    OrderItem ordered(NodeRef value);
    // offset 5, fetch first 10 rows only
    bool startsTail() const;
    void resolvePositions(Query& query) const;
    bool clauseAhead(std::string_view first, std::string_view second = "") const;
    bool takeClause(std::string_view first, std::string_view second = "");
    bool takeComma();
    std::string columnName();

    // ---- query_operations.cpp
    bool startsSetOperation() const;
    NodeRef setOperand(bool& isBracketed);
    SetOperation setOperation(bool& isBracketed);
    // Returns the query with all that union, intersect and except join to it.
    NodeRef unions(NodeRef first);
    std::vector<size_t> keySet(std::vector<SelectItem>& keys, bool mayBeList);
    std::vector<std::vector<size_t>> keySets(std::vector<SelectItem>& keys);
    void groupKeys(Query& query);

    // ---- table_parser.cpp
    void fromClause(Query& query, bool commaJoins);
    bool isCallArgument() const;
    NodeRef tableExpression();
    std::string tableAlias();
    bool joinClause(Query& query, bool commaJoins);
    NodeRef usingCondition(const JoinClause& join);

    // ---- change_parser.cpp
    NodeRef updateQuery();
    NodeRef deleteQuery();
    NodeRef insertQuery();

    // ---- window_parser.cpp
    NodeRef window(NodeRef call);
    NodeRef frameBound(FrameBound& bound);
    FrameExclusion frameExclusion();
    NodeRef postfixColumn();

    // ---- recovered_script.cpp
    class RangeScope;
    NodeRef wholeStatement();
    void noteRefused(const SyntaxError& error);
    void skipRefused(size_t first);
    bool mayResume(size_t first, const std::vector<char>& open) const;

    // ---- statement_parser.cpp
    NodeRef statement();
    NodeRef statementOfKeyword();
    NodeRef expressionOrAssignment();
    NodeRef assignment(NodeList targets, SourcePosition position);
    void checkTarget(const NodeRef& target);
    void noteTarget(const NodeRef& target);
    NodeRef block();
    NodeRef transactionBlock(SourcePosition position);
    NodeRef body();
    void statementEnd();
    NodeRef ifStatement();
    NodeRef forStatement();
    NodeRef doStatement();
    NodeRef returnStatement();
    NodeRef tryStatement();
    NodeRef assertStatement();
    NodeRef timerStatement();
    bool isCount(size_t open) const;
    NodeRef shareStatement();
    NodeRef undefStatement();
    NodeRef directive(NodeKind kind);
    NodeRef annotation();
    bool isAnnotationValue() const;
    std::string restOfLine();

    // ---- function_parser.cpp
    FunctionBody function(bool named);
    NodeRef functionDefinition();
    NodeRef lambdaDefinition();
    NodeRef mapReduceDefinition();
    NodeRef classDefinition();
    std::vector<ParameterNode> parameters();
    void requireConstant(const NodeRef& value, const std::string& parameter) const;
    NodeRef lambdaFrom(std::vector<ParameterNode> parameters, size_t first);

    // ---- definition_parser.cpp
    NodeRef createStatement();
    NodeRef createDatabase(SourcePosition position);
    NodeRef createTable(SourcePosition position);
    NodeRef alterStatement();
    NodeRef dropStatement();
    bool startsDefinition() const;
    struct TableReference {
        NodeRef database;  // null for a table in memory
        NodeRef table;     // name of the table as a STRING Constant
        std::string variable;
    };
    TableReference tableReference();
    NodeRef typeExpression();
    bool startsOption() const;
    void keywordTail(std::vector<Argument>& arguments);

    std::string_view text_;
    std::vector<Token> tokens_;
    size_t at_ = 0;
    const NameRoles& roles_;
    Mode mode_;
    int depth_ = 0;
    int functionDepth_ = 0;
    int statementDepth_ = 0;   // 1 at the top level, more inside blocks and branches
    std::string testingCase_;  // name that @testing sets for the asserts after it
    bool inTransaction_ = false;
    std::vector<ParserNote> notes_;
    size_t ternarySign_ = 0, ternaryEnd_ = 0;  // the question mark of the last x ? a : b, and the token after it
    int unknownCalls_ = 0;                     // calls in queries of names that are not defined so far
    bool inUnion_ = false;                     // inside the brackets of a query of a union
    bool jitAnnotated_ = false;
    bool stateAnnotated_ = false;
    struct Scope {
        std::unordered_map<std::string, Known> names;
    };
    std::vector<Scope> scopes_;
    RecoveredScript* recovered_ = nullptr;  // null: the first error is thrown
    std::vector<size_t> openRanges_;        // the statements around the current token, as indices of recovered_->ranges
    std::unordered_map<std::string, std::vector<std::string>> parametersOf_;
};

// The variable that holds the value of @testing: case = ….
inline const std::string kTestingCase = "@testing_case";

// Constants that the parser makes itself.
NodeRef stringConstant(std::string_view text, SourcePosition position);
NodeRef integerConstant(int32_t value, SourcePosition position);

}  // namespace pelorus
