// The printer behind toSource: expressions in to_source.cpp, queries in query_source.cpp, statements in
// statement_source.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/code/statement.h"
#include "runtime/format/to_source.h"

namespace pelorus {

class SourcePrinter {
public:
    void print(const Node& node);
    // Prints a value with a name without brackets around it.
    void aliased(const Node& node);
    std::string take() { return std::move(out_); }

private:
    void expression(const Node& node);
    void statement(const Node& node);
    void query(const Query& query);
    void keySets(const Query& query);
    void selectClauses(const Query& query);
    void window(const Window& window);

    // Prints in brackets when the node binds looser than `level`.
    void operand(const Node& node, int level);
    void bracketed(const Node& node);
    // Prints a node before words or commas of an outer query, list or call: in brackets when the node ends in a query,
    // which would otherwise take them for its own.
    void closed(const Node& node);
    void callee(const Node& node);
    static int binds(const Node& node);

    void name(std::string_view string);
    void listItem(const Node& node, bool isLast);
    void list(const NodeList& nodes);
    void listItems(const NodeList& items);
    void arguments(const std::vector<Argument>& arguments, size_t from);
    void binary(const Binary& node);
    void call(const Call& node);
    void parameters(const std::vector<ParameterNode>& parameters);
    void function(const FunctionBody& function);
    void member(const Member& node);
    void dictionary(const DictionaryLiteral& node);
    void aliases(const std::vector<std::string>& names);

    void items(const std::vector<SelectItem>& items, bool firstMayBeHint = false);
    void orderItems(const std::vector<OrderItem>& items);
    void tableSource(const NodeRef& table, const std::string& alias);
    void joins(const std::vector<JoinClause>& joins);
    void body(const Node& node);

    std::string out_;
    // False where a bare `:` would be taken for the colon of a ternary or a dictionary.
    bool pairAllowed_ = true;
};

}  // namespace pelorus
