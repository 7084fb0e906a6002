/// What the program makes while people chat, in a sentence for the line under the composer. GUI thread.
#pragma once

#include <QObject>
#include <QString>

namespace ingle::desktop {

class BackgroundWork : public QObject {
    Q_OBJECT
  public:
    using QObject::QObject;

    /// "Making Qwen3 8B smaller: 34%"; empty: nothing is made.
    const QString& sentence() const { return m_sentence; }
    void tell(const QString& sentence) {
        if (sentence == m_sentence) return;
        m_sentence = sentence;
        emit changed();
    }

  signals:
    void changed();

  private:
    QString m_sentence;
};

}  // namespace ingle::desktop
