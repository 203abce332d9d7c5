// Process wires the layers together: it makes the services of one process, and registers all functions.
#pragma once

#include <memory>
#include <string>

#include "apps/process/settings_of_streams.h"
#include "common/language_settings.h"
#include "runtime/function/context.h"
#include "storage/commit/storage_options.h"
#include "storage/table/outside_rules.h"

namespace pelorus {

struct NodeSettings;

// Fills the function registry; later calls do nothing. Called before any script runs.
void registerAllFunctions();

// The settings of a process that concern all layers.
struct ProcessOptions {
    std::string dataFolder;  // empty: a temporary folder, removed at the end
    std::string servedAt;  // address of this process for clients, "127.0.0.1:8848"; shown to another process that opens
                           // the same folder
    std::string moduleFolder =
        "modules";  // below the data folder, the working folder or the program's, unless absolute
    StorageOptions storage;
    double maxMemoryGigabytes = 0;  // 0: 80 % of what the machine or container has
    OutsideRules outside;           // rules for rows that no partition takes
    LanguageSettings language;      // becomes that of the process
    StreamSettings streams;
};

// Returns the options of a process with these settings that serves nobody.
ProcessOptions processOptionsOf(const NodeSettings& settings);

// The services of an embedded database: catalog, storage, shared objects. The storage opens at first use. The process
// owns them; sessions must end before it.
class Process {
public:
    explicit Process(ProcessOptions options);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    const Services& services() const { return services_; }
    Services& mutableServices() { return services_; }

private:
    ProcessOptions options_;
    std::string temporaryFolder_;
    Services services_;
};

}  // namespace pelorus
