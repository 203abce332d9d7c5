// Fills a ScriptAnalysis from its parse.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "interpreter/analysis/script_analysis.h"
#include "runtime/code/query.h"
#include "runtime/code/statement.h"

namespace pelorus {

// Walks the tree once: definitions enter their scope at once, uses are resolved when all definitions are known, since a
// function may be called in another one above it. Statements that could not be parsed are read word by word.
class ScriptAnalyzer {
public:
    ScriptAnalyzer(ScriptAnalysis& analysis, const ScriptAnalysis::StoredColumns& columns);
    void run();

private:
    // ---- tokens
    size_t offset(const Token& token) const { return static_cast<size_t>(token.begin() - analysis_.text_.data()); }
    TextRange rangeOf(size_t token) const;
    // The index of the token at a position, or of the next one.
    size_t tokenOf(SourcePosition position) const;
    bool isName(size_t token, std::string_view name) const;
    // The next token of that name at or behind `token`, within some tokens; none: the number of tokens.
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
    // The range from a token to the end of its statement.
    TextRange wholeFrom(size_t token) const;
    ShapeSources sources() const;

    ScriptAnalysis& analysis_;
    const ScriptAnalysis::StoredColumns& columns_;
    std::vector<int64_t> places_;  // of the tokens: line and column in one number, for tokenOf
    int scope_ = 0;
    bool inTable_ = false;                                // where a query names its tables
    std::vector<std::vector<std::string>> queryColumns_;  // of the queries around the node
};

// Returns "f(x, [y=1])" of a function as it is written.
std::string signatureOf(std::string_view name, const std::vector<ParameterNode>& parameters);

}  // namespace pelorus
