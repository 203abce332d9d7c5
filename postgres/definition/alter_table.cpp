#include "postgres/definition/alter_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include <fmt/format.h>

#include "database/service/database_service.h"
#include "postgres/catalog/table_names.h"
#include "postgres/change/assigned_column.h"
#include "postgres/change/column_defaults.h"
#include "postgres/change/prepared_change.h"
#include "postgres/change/target_table.h"
#include "postgres/definition/column_rules.h"
#include "postgres/definition/create_table.h"
#include "postgres/definition/foreign_keys.h"
#include "postgres/definition/new_table.h"
#include "postgres/parse/expression_text.h"
#include "postgres/parse/tree.h"
#include "postgres/sql_error.h"
#include "postgres/steps/standard_names.h"
#include "postgres/types/quoted_name.h"
#include "runtime/function/principal.h"
#include "storage/catalog/foreign_key.h"
#include "storage/catalog/sequences.h"
#include "storage/row_table/row_table.h"
#include "storage/table/entry_columns.h"
#include "storage/table/local_table.h"
#include "storage/table/row_facts.h"

namespace pelorus::postgres {

namespace {

using Json = nlohmann::json;

size_t placeOf(const TableEntry& table, const std::string& column) {
    for (size_t c = 0; c < table.schema.size(); ++c)
        if (table.schema[c].name == column) return c;
    throw SqlError(sql_state::kUndefinedColumn,
                   fmt::format("column \"{}\" of relation \"{}\" does not exist", column, table.name));
}

bool hasColumn(const TableEntry& table, const std::string& column) {
    return std::any_of(table.schema.begin(), table.schema.end(),
                       [&](const ColumnSchema& each) { return each.name == column; });
}

DeclaredType declaredOf(const TableEntry& table, size_t column) {
    return declaredTypeOf(table.schema[column], table.declaredTypeOf(column));
}

// Changes what a column's declaration says beside its type.
template <class Change>
void redeclare(TableEntry& table, size_t column, const Change& change) {
    DeclaredType declared = declaredOf(table, column);
    change(declared);
    table.declaredTypes[table.storedNameOf(column)] = savedForm(declared);
}

void setRequired(TableEntry& table, size_t column, bool isRequired) {
    redeclare(table, column, [&](DeclaredType& declared) { declared.isRequired = isRequired; });
    if (!table.rowTable) return;
    std::vector<std::string>& required = table.rowTable->required;
    std::erase(required, table.storedNameOf(column));
    if (isRequired) required.push_back(table.storedNameOf(column));
}

const RowTableIndex* primaryIndex(const TableEntry& table) {
    if (!table.rowTable) return nullptr;
    for (const RowTableIndex& index : table.rowTable->indexes)
        if (index.isPrimary) return &index;
    return nullptr;
}

void forgetKey(TableEntry& table) {
    for (size_t c = 0; c < table.schema.size(); ++c)
        redeclare(table, c, [](DeclaredType& declared) { declared.keyPlace = 0; });
}

// Adds the index of a constraint, with what it says of its columns.
void addIndex(TableEntry& table, const NewIndex& index) {
    if (!table.rowTable) refuseDefinition("a constraint of a table of columns", "Row tables have them: USING rows.");
    const std::string& name = index.name;
    if (index.isPrimary && primaryIndex(table) != nullptr)
        throw SqlError("42P16", fmt::format("multiple primary keys for table \"{}\" are not allowed", table.name));
    std::vector<std::string> stored;
    int keyPlace = 0;
    for (const std::string& column : index.columns) {
        const size_t at = placeOf(table, column);
        stored.push_back(table.storedNameOf(at));
        if (!index.isPrimary) continue;
        setRequired(table, at, true);
        redeclare(table, at, [&](DeclaredType& declared) { declared.keyPlace = ++keyPlace; });
    }
    table.rowTable->indexes.push_back({name, std::move(stored), true, index.isPrimary, true});
}

// One `alter table`. Its commands become steps over the entry, which are applied together.
class Alteration {
public:
    Alteration(std::shared_ptr<const TargetTable> target, DefinitionScope& scope)
        : scope_(scope), target_(std::move(target)), opened_(target_->open(scope.context)) {
        table_ = dynamic_cast<CatalogTable*>(&opened_.table());
        if (table_ == nullptr || !target_->entry)
            refuseDefinition("ALTER of a table in memory", "Change it by a script.");
        table_->requireToAlter(scope_.context.principal(), Right::CreateObject);
        entry_ = *target_->entry;
        giveStoredNames(entry_);
    }

    void add(const Json& command) {
        const std::string kind = textOf(command, "subtype");
        const auto found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                        [&](const Command& each) { return each.kind == kind; });
        if (found != std::end(kCommands)) return (this->*found->add)(command);
        constexpr std::string_view kTaken[] = {"AT_ChangeOwner",   "AT_SetRelOptions",  "AT_ResetRelOptions",
                                               "AT_SetStatistics", "AT_ClusterOn",      "AT_DropCluster",
                                               "AT_SetStorage",    "AT_SetLogged",      "AT_EnableTrig",
                                               "AT_DisableTrig",   "AT_ReplicaIdentity"};
        if (std::find(std::begin(kTaken), std::end(kTaken), kind) == std::end(kTaken))
            refuseDefinition("this form of ALTER TABLE");
    }

    void run(size_t commands) {
        if (!filled_.empty() && !entry_.rowTable && commands > 1 && table_->rowCount() > 0)
            refuseDefinition("a column with a default beside other changes of a table with rows",
                             "Add it by a statement of its own.");
        dropLostKeys();
        try {
            if (auto* rows = dynamic_cast<RowTable*>(table_); rows != nullptr && !filled_.empty()) {
                rows->changeDefinition([&](TableEntry& table) { applyTo(table, steps_); },
                                       [&](int64_t count) { return filledColumns(count); });
            } else {
                if (!steps_.empty()) apply(steps_);
                for (const TargetColumn& column : filled_) fill(column.schema.name, column.declared.isRequired);
            }
        } catch (...) {
            dropSequences(newSequences_);
            throw;
        }
        for (const SequenceEntry& sequence : newSequences_)
            scope_.databases().sequences().change(sequence.database, sequence.name, [&](SequenceEntry& own) {
                own.ownerTable = entry_.id;
                own.ownerColumn = sequence.ownerColumn;
            });
        dropSequences(oldSequences_);
    }

private:
    using Step = std::function<void(TableEntry& table)>;

    // Takes a step: it is tried at once, so that later commands see what it does.
    void step(Step change) {
        change(entry_);
        steps_.push_back(std::move(change));
    }
    void apply(const std::vector<Step>& steps) {
        table_->changeDefinition([&](TableEntry& table) { applyTo(table, steps); });
    }
    static void applyTo(TableEntry& table, const std::vector<Step>& steps) {
        for (const Step& change : steps) change(table);
    }
    void dropSequences(const std::vector<SequenceEntry>& sequences) {
        for (const SequenceEntry& sequence : sequences)
            scope_.databases().sequences().drop(sequence.database, sequence.name);
    }

    void addColumn(const Json& command) {
        NewTable table;
        table.name = entry_.name;
        table.isRowTable = target_->isRowTable;
        postgres::addColumn(table, bodyOf(command["def"]));
        const NewColumn& column = table.columns.at(0);
        if (hasColumn(entry_, column.name)) {
            const std::string message =
                fmt::format("column \"{}\" of relation \"{}\" already exists", column.name, entry_.name);
            if (!flagOf(command, "missing_ok")) throw SqlError("42701", message);
            return scope_.note("42701", message + ", skipping");
        }
        const KeptType kept = keptTypeOf(column.declared.shown, column.place);
        const ColumnSchema schema{.name = column.name, .type = kept.type, .scale = kept.scale};
        ColumnDefault whenMissing;
        if (column.isNumbered()) {
            const std::string schemaName = target_->schema;
            newSequences_.push_back(makeSequence(column, entry_.name, schemaName, scope_));
            newSequences_.back().ownerColumn = column.name;
            whenMissing = numberedDefault(column, newSequences_.back());
        } else if (!column.whenMissing.is_null()) {
            whenMissing.expression = savedDefault(column.whenMissing, {entry_.name, column.name, column.declared},
                                                  scope_.session, scope_.context);
        }
        const bool isFilled = !whenMissing.expression.empty();
        const bool isFilledLater = isFilled && !entry_.rowTable;
        const DeclaredType declared = column.declared;
        step([=](TableEntry& entry) {
            addColumnsTo(entry, {schema});
            placeRowColumns(entry);
            const size_t at = entry.schema.size() - 1;
            entry.declaredTypes[entry.storedNameOf(at)] = savedForm(declared);
            if (isFilled) entry.defaults[entry.storedNameOf(at)] = whenMissing;
            setRequired(entry, at, declared.isRequired && !isFilledLater);
        });
        if (!newSequences_.empty() && column.isNumbered())
            newSequences_.back().ownerColumn = entry_.storedNameOf(entry_.schema.size() - 1);
        if (isFilled)
            filled_.push_back(
                {schema, declared, whenMissing.expression, static_cast<TargetColumn::Identity>(whenMissing.identity)});
        addConstraints(table);
    }

    void addConstraints(const NewTable& table) {
        for (NewIndex index : table.indexes) {
            index.name = freeIndexName(index, entry_, target_->schema, scope_);
            if (hasConstraint(entry_, index.name))
                throw SqlError(sql_state::kDuplicateTable, fmt::format("relation \"{}\" already exists", index.name));
            step([index](TableEntry& entry) { addIndex(entry, index); });
        }
        for (const NewCheck& check : table.checks) {
            if (!entry_.rowTable) refuseDefinition("CHECK of a table of columns");
            TableEntry checked = entry_;
            addCheck(checked, check, scope_.context);
            const RowTableCheck made = checked.rowTable->checks.back();
            step([made](TableEntry& entry) { entry.rowTable->checks.push_back(made); });
        }
        for (const NewForeignKey& key : table.foreignKeys) {
            const ForeignKey made = foreignKeyOf(key, entry_, target_->schema, scope_);
            step([made](TableEntry& entry) { entry.rowTable->foreignKeys.push_back(made); });
        }
    }

    void addConstraint(const Json& command) {
        const Json& constraint = bodyOf(command["def"]);
        if (constraint.contains("indexname")) refuseDefinition("a constraint USING INDEX");
        NewTable table;
        table.name = entry_.name;
        table.isRowTable = target_->isRowTable;
        for (const ColumnSchema& column : entry_.schema) table.columns.push_back({column.name, {}});
        postgres::addConstraint(table, constraint);
        addConstraints(table);
    }

    // Drops, by `cascade`, the foreign keys to the table whose unique index is not there afterwards.
    void dropLostKeys() {
        if (!cascades_) return;
        std::vector<std::string> own;
        for (const ForeignKey& key : foreignKeysTo(entry_, entry_))
            if (!hasUniqueIndex(entry_, key.parentColumns)) own.push_back(key.name);
        for (const std::string& name : own) {
            step([name](TableEntry& entry) {
                std::erase_if(entry.rowTable->foreignKeys, [&](const ForeignKey& key) { return key.name == name; });
            });
            scope_.note("00000", fmt::format("drop cascades to constraint {} on table {}", name, entry_.name));
        }
        for (const ReferringKey& referring : referringKeys(entry_, scope_))
            if (!hasUniqueIndex(entry_, referring.key.parentColumns)) dropReferringKey(referring, scope_);
    }

    void dropColumn(const Json& command) {
        cascades_ |= textOf(command, "behavior") == "DROP_CASCADE";
        const std::string name = textOf(command, "name");
        if (!hasColumn(entry_, name) && flagOf(command, "missing_ok"))
            return scope_.note(
                "00000", fmt::format("column \"{}\" of relation \"{}\" does not exist, skipping", name, entry_.name));
        const std::string stored = entry_.storedNameOf(placeOf(entry_, name));
        for (const SequenceEntry& sequence : scope_.databases().sequences().all(entry_.database))
            if (sequence.ownerTable == entry_.id && sequence.ownerColumn == stored) oldSequences_.push_back(sequence);
        step([name, stored](TableEntry& entry) {
            if (entry.rowTable) {
                const auto has = [&](const RowTableIndex& index) {
                    return std::find(index.columns.begin(), index.columns.end(), stored) != index.columns.end();
                };
                const RowTableIndex* primary = primaryIndex(entry);
                if (primary != nullptr && has(*primary)) forgetKey(entry);
                std::erase_if(entry.rowTable->indexes, has);
            }
            dropColumnFrom(entry, name);
        });
    }

    void setDefault(const Json& command) {
        const size_t at = placeOf(entry_, textOf(command, "name"));
        const std::string stored = entry_.storedNameOf(at);
        if (entry_.defaultOf(at).identity != ColumnDefault::Identity::None)
            throw SqlError(sql_state::kSyntaxError,
                           fmt::format("column \"{}\" of relation \"{}\" is an identity column", entry_.schema[at].name,
                                       entry_.name));
        std::string expression;
        if (command.contains("def"))
            expression = savedDefault(command["def"], {entry_.name, entry_.schema[at].name, declaredOf(entry_, at)},
                                      scope_.session, scope_.context);
        if (expression == "NULL") expression.clear();
        step([stored, expression](TableEntry& entry) {
            if (expression.empty()) {
                entry.defaults.erase(stored);
            } else {
                entry.defaults[stored] = {expression};
            }
        });
    }

    void setNotNull(const Json& command) {
        const std::string name = textOf(command, "name");
        placeOf(entry_, name);
        step([name](TableEntry& entry) { setRequired(entry, placeOf(entry, name), true); });
    }

    void dropNotNull(const Json& command) {
        const std::string name = textOf(command, "name");
        const size_t at = placeOf(entry_, name);
        if (declaredOf(entry_, at).keyPlace > 0)
            throw SqlError("42P16", fmt::format("column \"{}\" is in a primary key", name));
        if (entry_.defaultOf(at).identity != ColumnDefault::Identity::None)
            throw SqlError(sql_state::kSyntaxError,
                           fmt::format("column \"{}\" of relation \"{}\" is an identity column", name, entry_.name));
        step([name](TableEntry& entry) { setRequired(entry, placeOf(entry, name), false); });
    }

    void dropConstraint(const Json& command) {
        cascades_ |= textOf(command, "behavior") == "DROP_CASCADE";
        const std::string name = textOf(command, "name");
        if (!hasConstraint(entry_, name)) {
            const std::string message =
                fmt::format("constraint \"{}\" of relation \"{}\" does not exist", name, entry_.name);
            if (!flagOf(command, "missing_ok")) throw SqlError(sql_state::kUndefinedObject, message);
            return scope_.note("00000", message + ", skipping");
        }
        step([name](TableEntry& entry) {
            const auto isIt = [&](const auto& each) { return each.name == name; };
            const RowTableIndex* primary = primaryIndex(entry);
            if (primary != nullptr && primary->name == name) forgetKey(entry);
            std::erase_if(entry.rowTable->checks, isIt);
            std::erase_if(entry.rowTable->foreignKeys, isIt);
            std::erase_if(entry.rowTable->indexes, isIt);
        });
    }

    void alterType(const Json& command) {
        const std::string name = textOf(command, "name");
        const size_t at = placeOf(entry_, name);
        const Json& definition = bodyOf(command["def"]);
        const WrittenType written = writtenType(definition["typeName"]);
        const DeclaredType now = declaredOf(entry_, at);
        const KeptType kept = keptTypeOf({written.type, written.modifier}, -1);
        const bool isSameKind = kept.type == entry_.schema[at].type && kept.scale == entry_.schema[at].scale;
        const bool isWider =
            written.modifier < 0 || (now.shown.modifier >= 0 && written.modifier >= now.shown.modifier);
        const bool isPadded = written.type == oid::kBpchar || now.shown.type == oid::kBpchar;
        if (!isSameKind || !isWider || isPadded || definition.contains("raw_default"))
            refuseDefinition("a change of the type of a column that may not hold its values",
                             "Add a column of the other type, fill it by an update, and drop this one.");
        step([name, written](TableEntry& entry) {
            redeclare(entry, placeOf(entry, name), [&](DeclaredType& declared) {
                declared.shown = {written.type, written.modifier};
            });
        });
    }

    // Returns the values of new columns of a row table in so many rows: their defaults.
    std::vector<std::pair<std::string, Value>> filledColumns(int64_t count) const {
        auto added = std::make_shared<TargetTable>(*target_);
        added->columns = filled_;
        // The table refuses NULL itself.
        for (TargetColumn& column : added->columns) column.declared.isRequired = false;
        std::vector<size_t> places(filled_.size());
        std::iota(places.begin(), places.end(), size_t{0});
        Translation translation(scope_.session, scope_.context, {});
        std::vector<std::pair<std::string, Value>> columns;
        try {
            const ColumnDefaults defaults(added, places, translation);
            StepScope scope;
            setStandardNames(scope);
            for (const TargetColumn& column : added->columns) {
                if (!hasColumn(entry_, column.schema.name)) continue;
                AssignedColumn writer(*added, column);
                defaults.fill(writer, count, scope, scope_.context);
                columns.emplace_back(column.schema.name, writer.take());
            }
        } catch (const Error& error) {
            throwByState(error);
        }
        return columns;
    }

    // Gives the rows of a table of columns that are there the default of a new column.
    void fill(const std::string& column, bool isRequired) {
        const std::string text = fmt::format("update {}.{} set {} = default", quotedName(target_->schema),
                                             quotedName(target_->name), quotedName(column));
        prepareChange(*parseStatements(text).at(0), {}, scope_.session, scope_.context)->run({}, scope_.context);
        if (isRequired) apply({[column](TableEntry& entry) { setRequired(entry, placeOf(entry, column), true); }});
    }

    struct Command {
        std::string_view kind;
        void (Alteration::*add)(const Json& command);
    };
    static const Command kCommands[9];

    DefinitionScope& scope_;
    const std::shared_ptr<const TargetTable> target_;
    const Value opened_;
    CatalogTable* table_;
    TableEntry entry_;  // as it will be
    std::vector<Step> steps_;
    std::vector<TargetColumn> filled_;  // new columns with a default
    std::vector<SequenceEntry> newSequences_, oldSequences_;
    bool cascades_ = false;  // foreign keys of others go with what they depend on
};

const Alteration::Command Alteration::kCommands[9] = {
    {"AT_AddColumn", &Alteration::addColumn},
    {"AT_DropColumn", &Alteration::dropColumn},
    {"AT_ColumnDefault", &Alteration::setDefault},
    {"AT_SetNotNull", &Alteration::setNotNull},
    {"AT_DropNotNull", &Alteration::dropNotNull},
    {"AT_AddConstraint", &Alteration::addConstraint},
    {"AT_DropConstraint", &Alteration::dropConstraint},
    {"AT_AlterColumnType", &Alteration::alterType},
    {"AT_AddIndexConstraint", &Alteration::addConstraint},
};

}  // namespace

std::shared_ptr<const TargetTable> alteredTable(const Json& body, DefinitionScope& scope) {
    const Json& relation = body["relation"];
    try {
        return findTarget(textOf(relation, "schemaname"), textOf(relation, "relname"), scope.session, scope.context,
                          postgres::placeOf(relation));
    } catch (const SqlError& error) {
        if (error.state() != sql_state::kUndefinedTable || !flagOf(body, "missing_ok")) throw;
        scope.note("00000", fmt::format("relation \"{}\" does not exist, skipping", textOf(relation, "relname")));
        return nullptr;
    }
}

void alterTable(const Json& body, DefinitionScope& scope) {
    const auto target = alteredTable(body, scope);
    if (!target) return;
    Alteration alteration(target, scope);
    for (const Json& command : body["cmds"]) alteration.add(bodyOf(command));
    alteration.run(body["cmds"].size());
}

}  // namespace pelorus::postgres
