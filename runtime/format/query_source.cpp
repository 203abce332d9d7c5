// Printer from queries to source text.
#include <fmt/format.h>

#include "runtime/format/source_printer.h"

namespace pelorus {

void SourcePrinter::items(const std::vector<SelectItem>& items, bool firstMayBeHint) {
    for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out_ += ',';
        const size_t begin = out_.size();
        closed(*items[i].value);
        // select [1,2] … would read as a hint.
        if (firstMayBeHint && i == 0 && out_[begin] == '[') {
            out_.insert(begin, "(");
            out_ += ')';
        }
        if (items[i].aliasMacro) {
            out_ += " as ";
            print(*items[i].aliasMacro);
        } else {
            aliases(items[i].aliases);
        }
    }
}

void SourcePrinter::orderItems(const std::vector<OrderItem>& items) {
    for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out_ += ',';
        closed(*items[i].value);
        out_ += items[i].ascending ? " asc" : " desc";
        if (items[i].nullsGiven) out_ += items[i].nullsFirst ? " nulls first" : " nulls last";
    }
}

void SourcePrinter::tableSource(const NodeRef& table, const std::string& alias) {
    callee(*table);
    if (!alias.empty()) out_ += " as " + alias;
}

void SourcePrinter::joins(const std::vector<JoinClause>& joins) {
    for (const JoinClause& join : joins) {
        switch (join.kind) {
            case JoinKind::Inner:
                out_ += " inner join ";
                break;
            case JoinKind::Left:
                out_ += " left join ";
                break;
            case JoinKind::LeftSemi:
                out_ += " left semijoin ";
                break;
            case JoinKind::Right:
                out_ += " right join ";
                break;
            case JoinKind::Full:
                out_ += " full join ";
                break;
            case JoinKind::Cross:
                out_ += " cross join ";
                break;
        }
        tableSource(join.table, join.alias);
        if (join.on) {
            out_ += " on ";
            closed(*join.on);
        }
    }
}

static const char* verbString(QueryVerb verb) {
    return verb == QueryVerb::Exec ? "exec" : "select";
}

void SourcePrinter::keySets(const Query& query) {
    out_ += " group by grouping sets (";
    for (size_t i = 0; i < query.groupingSets.size(); ++i) {
        out_ += i == 0 ? "(" : ",(";
        std::vector<SelectItem> keys;
        for (const size_t key : query.groupingSets[i]) keys.push_back(query.groupBy[key]);
        items(keys);
        out_ += ')';
    }
    out_ += ')';
}

void SourcePrinter::selectClauses(const Query& query) {
    if (!query.where.empty()) {
        out_ += " where ";
        for (size_t i = 0; i < query.where.size(); ++i) {
            if (i > 0) out_ += ',';
            closed(*query.where[i]);
        }
    }
    size_t grouped = query.groupBy.size() - static_cast<size_t>(query.cumulativeKeys);
    std::vector<SelectItem> keys(query.groupBy.begin(), query.groupBy.begin() + static_cast<ptrdiff_t>(grouped));
    std::vector<SelectItem> cumulative(query.groupBy.begin() + static_cast<ptrdiff_t>(grouped), query.groupBy.end());
    if (!query.groupingSets.empty()) {
        keySets(query);
    } else if (!keys.empty()) {
        switch (query.grouping) {
            case GroupKind::Context:
                out_ += " context by ";
                break;
            case GroupKind::Pivot:
                out_ += " pivot by ";
                break;
            default:
                out_ += " group by ";
        }
        items(keys);
    }
    if (!cumulative.empty()) {
        out_ += " cgroup by ";
        items(cumulative);
    }
    if (!query.csort.empty()) {
        out_ += " csort ";
        orderItems(query.csort);
    }
    if (query.having) {
        out_ += " having ";
        closed(*query.having);
    }
    if (!query.orderBy.empty()) {
        out_ += " order by ";
        orderItems(query.orderBy);
    }
    if (query.limit) {
        out_ += " limit ";
        if (query.offset) {
            closed(*query.offset);
            out_ += ", ";
        }
        closed(*query.limit);
    }
    if (query.map) out_ += " map";
}

void SourcePrinter::query(const Query& query) {
    switch (query.verb) {
        case QueryVerb::Update: {
            out_ += "update ";
            tableSource(query.table, query.tableAlias);
            out_ += " set ";
            for (size_t i = 0; i < query.items.size(); ++i) {
                if (i > 0) out_ += ", ";
                const SelectItem& item = query.items[i];
                if (item.aliasMacro) {
                    print(*item.aliasMacro);
                } else {
                    name(item.aliases[0]);
                }
                out_ += " = ";
                closed(*item.value);
            }
            if (query.updateSource) {
                out_ += " from ";
                tableSource(query.updateSource, query.updateSourceAlias);
            }
            joins(query.joins);
            selectClauses(query);
            return;
        }
        case QueryVerb::Delete:
            out_ += "delete from ";
            tableSource(query.updateSource ? query.updateSource : query.table, query.tableAlias);
            selectClauses(query);
            return;
        case QueryVerb::Insert: {
            out_ += "insert into ";
            print(*query.table);
            if (!query.insertColumns.empty()) {
                out_ += " (";
                for (size_t i = 0; i < query.insertColumns.size(); ++i) {
                    if (i > 0) out_ += ", ";
                    name(query.insertColumns[i]);
                }
                out_ += ')';
            }
            if (query.insertSource) {
                out_ += ' ';
                print(*query.insertSource);
                return;
            }
            out_ += " values ";
            for (size_t i = 0; i < query.insertRows.size(); ++i) {
                if (i > 0) out_ += ", ";
                out_ += '(';
                list(query.insertRows[i]);
                out_ += ')';
            }
            return;
        }
        default:
            break;
    }
    for (size_t i = 0; i < query.with.size(); ++i) {
        out_ += i == 0 ? "with " : ", ";
        out_ += query.with[i].first + " as ";
        bracketed(*query.with[i].second);
        if (i + 1 == query.with.size()) out_ += ' ';
    }
    out_ += verbString(query.verb);
    if (query.hint != 0) out_ += " [" + std::to_string(query.hint) + "]";
    if (query.distinct) out_ += " distinct";
    if (query.top) {
        out_ += " top ";
        print(*query.top);
    }
    out_ += ' ';
    items(query.items, query.hint == 0 && !query.distinct && !query.top);
    if (query.table) {
        out_ += " from ";
        tableSource(query.table, query.tableAlias);
        joins(query.joins);
    }
    selectClauses(query);
    for (const SetOperation& other : query.unions) {
        out_ += fmt::format(" {}{} ", setOperatorName(other.op), other.all ? " all" : "");
        bracketed(*other.query);
    }
}

static std::string boundString(FrameBound bound) {
    switch (bound) {
        case FrameBound::UnboundedPreceding:
            return "unbounded preceding";
        case FrameBound::Preceding:
            return " preceding";
        case FrameBound::CurrentRow:
            return "current row";
        case FrameBound::Following:
            return " following";
        default:
            return "unbounded following";
    }
}

void SourcePrinter::window(const Window& window) {
    print(*window.call);
    out_ += " over (";
    bool needsBlank = false;
    if (!window.partitionBy.empty()) {
        out_ += "partition by ";
        list(window.partitionBy);
        needsBlank = true;
    }
    if (!window.orderBy.empty()) {
        out_ += needsBlank ? " order by " : "order by ";
        orderItems(window.orderBy);
        needsBlank = true;
    }
    if (window.hasFrame) {
        if (needsBlank) out_ += ' ';
        constexpr const char* kUnits[] = {"rows between ", "range between ", "groups between "};
        constexpr const char* kExclusions[] = {"", " exclude current row", " exclude group", " exclude ties"};
        out_ += kUnits[static_cast<size_t>(window.unit)];
        if (window.lowOffset) print(*window.lowOffset);
        out_ += boundString(window.low) + " and ";
        if (window.highOffset) print(*window.highOffset);
        out_ += boundString(window.high);
        out_ += kExclusions[static_cast<size_t>(window.exclusion)];
    }
    out_ += ')';
}

}  // namespace pelorus
