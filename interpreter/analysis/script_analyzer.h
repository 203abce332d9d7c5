// ScriptAnalyzer fills a ScriptAnalysis from its parse.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interpreter/analysis/script_analysis.h"
#include "runtime/code/query.h"
#include "runtime/code/statement.h"

namespace pelorus {

// The visitor of one tree. It enters definitions into their scope at once, and resolves uses when all definitions are
// known, since a function may be called in another one above it. Statements that could not be parsed are read word by
// word.
class ScriptAnalyzer {
public:
    ScriptAnalyzer(ScriptAnalysis& analysis, const ScriptAnalysis::StoredColumns& columns);
    void run();

private:
    // ---- tokens
    size_t offset(const Token& token) const { return static_cast<size_t>(token.begin() - analysis_.text_.data()); }
    TextRange rangeOf(size_t token) const;
    // Returns the index of the token at a position, or of the next one.
    size_t tokenOf(SourcePosition position) const;
    bool isName(size_t token, std::string_view name) const;
    // Returns the next token of that name at or after `token`, within some tokens; the number of tokens when there is
    // none.
    size_t findName(size_t token, std::string_view name, size_t within) const;
    size_t closing(size_t open) const;
    std::string commentAbove(size_t place) const;

    // ---- scopes
    int openScope(TextRange range, bool isNamed);
    int define(const std::string& name, SymbolKind kind, TextRange place, TextRange whole);
    void use(TextRange place, bool isCall);

    // ---- nodes
    void visit(const NodeRef& node);
    void visitName(const Name& name, bool isCall);
    void visitCall(const Call& call);
    void visitAssign(const Assign& assign);
    void visitFunction(const FunctionBody& function, SourcePosition position, bool isMethod);
    void visitDefinition(const FunctionDefinition& definition, bool isMethod);
    void visitClass(const ClassDefinition& definition);
    void visitLoop(const For& loop);
    void visitTry(const Try& attempt);
    void visitShare(const Share& share);
    void visitQuery(const Query& query);
    void visitTable(const NodeRef& table);
    void visitDirective(const Directive& directive);
    void visitRefused();
    void resolveUses();
    // Returns the range from a token to the end of its statement.
    TextRange wholeFrom(size_t token) const;
    ShapeSources sources() const;

    ScriptAnalysis& analysis_;
    const ScriptAnalysis::StoredColumns& columns_;
    std::vector<int64_t> places_;  // places of the tokens, line and column in one number, for tokenOf
    int scope_ = 0;
    bool inTable_ = false;                                // within the tables of a query
    std::vector<std::vector<std::string>> queryColumns_;  // columns of the queries around the node
};

// Returns the signature of a function as it is written: "f(x, [y=1])".
std::string signatureOf(std::string_view name, const std::vector<ParameterNode>& parameters);

}  // namespace pelorus
