#include "app/desktop/services/storage_notices.h"

#include <QCoreApplication>

#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

QString sentenceOf(const storage::Notice& notice) {
    using Kind = storage::Notice::Kind;
    const auto tr = [](const char* text) { return QCoreApplication::translate("StorageNotices", text); };
    switch (notice.kind) {
        case Kind::FileRescued:
            return tr(
                QT_TRANSLATE_NOOP("StorageNotices",
                                  "The file with your conversations was deleted. Inglenook has written it "
                                  "again; nothing is lost."));
        case Kind::FileKeptBeside:
            return tr(QT_TRANSLATE_NOOP(
                          "StorageNotices",
                          "Another file was put in the place of your conversations. Inglenook left "
                          "it alone and keeps yours in %1."))
                .arg(toQString(notice.path));
        case Kind::FileNotRescued:
            return tr(QT_TRANSLATE_NOOP(
                          "StorageNotices",
                          "The file with your conversations was taken away and cannot be written "
                          "again yet; leave Inglenook open. %1"))
                .arg(toQString(notice.error));
        case Kind::FileOverwritten:
            return tr(QT_TRANSLATE_NOOP(
                "StorageNotices",
                "Another file was copied over your conversations while Inglenook was open. What was only in "
                "them cannot be brought back; the conversations of that file are shown now."));
        case Kind::NoBackup:
            return tr(QT_TRANSLATE_NOOP("StorageNotices",
                                        "Today's backup of your conversations could not be made; Inglenook "
                                        "tries again. %1"))
                .arg(toQString(notice.error));
        case Kind::NotFlushed:
            return tr(QT_TRANSLATE_NOOP(
                          "StorageNotices",
                          "The disk does not keep what is written to it, so a power cut would take the last "
                          "answers; Inglenook tries again. %1"))
                .arg(toQString(notice.error));
        case Kind::ShreddingWaits:
            return tr(QT_TRANSLATE_NOOP(
                          "StorageNotices",
                          "What you deleted for good is still on this disk; Inglenook tries again "
                          "to remove it. %1"))
                .arg(toQString(notice.error));
    }
    return {};
}

}  // namespace

Notices::Banner bannerOf(const storage::Notice& notice) {
    return {Notices::Topic::File, sentenceOf(notice)};
}

}  // namespace ingle::desktop
