// Puts the layers together: one process with its services and the registry of functions.
#pragma once

#include <memory>
#include <string>

#include "runtime/function/context.h"
#include "storage/table/local_table.h"

namespace pelorus {

// Fills the function registry before anything runs; later calls do nothing.
void registerAllFunctions();

struct ProcessOptions {
    std::string dataFolder;  // empty: a temporary one, removed at the end
    std::string servedAt;    // "127.0.0.1:8848" when clients reach this process; shown to who finds the folder in use
    std::string moduleFolder =
        "modules";  // below the data folder, the working folder or the program's, unless absolute
    StorageOptions storage;
    double maxMemoryGigabytes = 0;  // 0: 80 % of what the machine or container has
    OutsideRules outside;           // what happens to rows that no partition takes
};

// The services of an embedded database: catalog, storage, shared objects. What is not needed is not opened.
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
