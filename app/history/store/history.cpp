#include "app/history/store/history.h"

#include <utility>

#include "app/history/store/database.h"

namespace ingle::history {

HistoryReader::HistoryReader(std::unique_ptr<Database> database) : m_database(std::move(database)) {}

HistoryReader::~HistoryReader() = default;

const std::optional<Error>& HistoryReader::refusal() const {
    return m_database->refusal();
}

const std::string& HistoryReader::path() const {
    return m_database->path();
}

void HistoryReader::interrupt() {
    m_database->interrupt();
}

Status History::atOnce(const std::function<Status()>& work) {
    return m_database->transact(Durability::Power, work);
}

Result<std::optional<std::chrono::milliseconds>> History::syncWhenDue() {
    return m_database->syncWhenDue();
}

}  // namespace ingle::history
