#include "database/service/stream_folder.h"

#include "common/error.h"
#include "database/service/database_service.h"
#include "storage/stream/stream_files.h"

namespace pelorus {

std::shared_ptr<StreamFolder> openStreamFolder(const Services& services) {
    auto* databases = services.find<DatabaseService>();
    if (databases == nullptr) throw UserError("This process has no data folder, so that it keeps no stream tables.");
    return std::make_shared<LocalStreamFolder>(databases->ownStorage().shared_from_this());
}

}  // namespace pelorus
