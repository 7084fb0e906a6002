#include "app/desktop/services/text_saver.h"

#include <span>
#include <string>
#include <utility>

#include "app/content/code_language.h"
#include "app/desktop/services/text.h"
#include "engine/io/atomic_file.h"

namespace ingle::desktop {
namespace {

Status writeFile(const std::string& path, const std::string& text, io::Existing existing) {
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(path, io::Access::ByUmask, existing));
    INGLE_TRY(file->write(std::as_bytes(std::span(text))));
    return file->commit();
}

}  // namespace

TextSaver::TextSaver(StorageThread& storage, Notices& notices, QObject* parent)
    : QObject(parent), m_storage(storage), m_notices(notices) {}

QString TextSaver::codeName(const QString& label) const {
    const std::string extension(content::codeExtension(content::codeLanguage(label.toStdString())));
    return QStringLiteral("code.") + toQString(extension);
}

void TextSaver::save(const QString& text, const QUrl& file, bool replace) {
    saveBytes(text.toStdString(), file, replace);
}

void TextSaver::saveBytes(std::string bytes, const QUrl& file, bool replace) {
    const QString path = file.toLocalFile();
    const auto existing = replace ? io::Existing::Replaced : io::Existing::Kept;
    const auto work = [path = path.toStdString(), bytes = std::move(bytes), existing] {
        return writeFile(path, bytes, existing);
    };
    m_storage.run(this, work, [this, path](const Status& written) {
        if (written) return m_notices.showToast(tr("Saved as %1").arg(path));
        m_notices.showNotWritten(path, written.error());
    });
}

}  // namespace ingle::desktop
