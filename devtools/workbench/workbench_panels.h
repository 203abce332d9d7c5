// Computes the contents of the panels of a workbench: variables, databases, schemas, jobs, the node.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "devtools/editing/names_snapshot.h"
#include "devtools/workbench/script_runner.h"

namespace pelorus {

// Returns the variables that objs(true) lists: name, type, form, rows, columns, bytes, isShared.
nlohmann::json variablesFrom(const Value& objects);

// Returns the databases with the names of their tables. Throws Error.
nlohmann::json listDatabases(ScriptRunner& runner);
// Returns the columns of a stored table, and how it is partitioned. Throws Error.
nlohmann::json describeTable(ScriptRunner& runner, const std::string& database, const std::string& table);
// Returns the running requests and the newest batch jobs; empty arrays when the database has none. Throws Error.
nlohmann::json listJobs(ScriptRunner& runner);
// Returns the state of the node for its operator: `nodes`, `figures` (name and value), `streams`, `subscriptions` as
// lists of objects, and `log`, the newest lines of the node's log, oldest first. A list that the user may not read is
// empty.
nlohmann::json describeNode(ScriptRunner& runner);
// Returns the copies of the partitions that the user may see: `partitions`, the `fewest` and the `most` copies of one,
// `recovering`, how many are being copied, and `nodes` with name, state ("in sync" or why not), alive, staleness in
// seconds, and copies. Lists every partition: not asked for as often as describeNode.
nlohmann::json describeCopies(ScriptRunner& runner);
// Cancels a job that listJobs returned. Throws Error.
void cancelJob(ScriptRunner& runner, const std::string& id, bool isBatch);
// Installs a module, whose source text begins with its `module` line. Returns the path of its file. Throws Error.
std::string uploadModule(ScriptRunner& runner, const std::string& source);
// Writes a string to a file in the folder for uploads, or appends it. Returns the path of the file. Throws Error.
std::string uploadText(ScriptRunner& runner, const std::string& file, const std::string& text, bool isAppended);
void removeUpload(ScriptRunner& runner, const std::string& file);
// Returns the variables and functions of the user's session, with the columns of tables; no script of the session runs
// meanwhile. Throws Error.
NamesSnapshot::Names sessionNames(ScriptRunner& runner);

}  // namespace pelorus
