// Queries that change a table: update, delete, insert. Section 18 of the language.
#include "interpreter/parser/parser_core.h"

namespace pelorus {

NodeRef Parser::updateQuery() {
    Ref<Query> query = makeRef<Query>(take().position);
    query->verb = QueryVerb::Update;
    hint(*query);
    query->table = tableExpression();
    query->tableAlias = tableAlias();
    expectKeyword("set", "and the columns to change");
    do {
        SelectItem item;
        if (peek().kind == TokenKind::Macro || peek().kind == TokenKind::MacroMany) {
            alias(item);
        } else {
            item.aliases = {columnName()};
        }
        expect("=", "and the new value");
        item.value = expression();
        query->items.push_back(std::move(item));
    } while (takeComma());
    if (takeKeyword("from")) {
        // update t set … from ej(t, …): the source of the rows; the table that changes is t
        query->updateSource = tableExpression();
        query->updateSourceAlias = tableAlias();
        while (joinClause(*query, false)) {
        }
    }
    whereClause(*query);
    groupingClause(*query);
    return query;
}

NodeRef Parser::deleteQuery() {
    Ref<Query> query = makeRef<Query>(take().position);
    query->verb = QueryVerb::Delete;
    hint(*query);
    if (!peek().isKeyword("from")) {
        // delete t from ej(t, other, …)
        query->updateSource = tableExpression();
    }
    expectKeyword("from", "after 'delete'");
    query->table = tableExpression();
    if (query->updateSource) std::swap(query->table, query->updateSource);
    query->tableAlias = tableAlias();
    whereClause(*query);
    if (takeKeyword("map")) query->map = true;
    return query;
}

NodeRef Parser::insertQuery() {
    Ref<Query> query = makeRef<Query>(take().position);
    query->verb = QueryVerb::Insert;
    expectKeyword("into", "after 'insert'");
    // In `insert into t(a, b) values …` the brackets hold columns, not arguments.
    size_t after = closing(at_ + 1) + 1;
    bool columns =
        peek(1).is("(") && after < tokens_.size() && !peek().isWord("loadTable") &&
        (tokens_[after].isKeyword("values") || tokens_[after].isKeyword("select") || tokens_[after].isKeyword("exec"));
    if (columns) {
        SourcePosition position = peek().position;
        query->table = makeRef<Name>(expectName("a table"), position);
    } else {
        query->table = tableExpression();
    }
    if (peek().is("(")) {
        ModeScope scope(*this, insideBrackets());
        take();
        do {
            query->insertColumns.push_back(columnName());
        } while (takeComma());
        expect(")", "after the column names");
    }
    if (takeKeyword("values")) {
        do {
            if (!peek().is("(")) failUnexpected("'(' and the values of a row");
            NodeRef row = parenthesised();
            NodeList cells;
            if (row->kind == NodeKind::TupleLiteral) {
                cells = static_cast<const TupleLiteral&>(*row).items;
            } else {
                cells.push_back(std::move(row));
            }
            query->insertRows.push_back(std::move(cells));
        } while (takeComma());
        return query;
    }
    if (!startsQuery() && !peek().is("(")) failUnexpected("'values' or a query");
    query->insertSource = peek().is("(") ? parenthesised() : this->query();
    return query;
}

}  // namespace pelorus
