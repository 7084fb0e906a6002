/// Draws the formulas of a document above the text, in the room that it leaves for them.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QImage>
#include <QPointer>
#include <QQuickItem>

#include <vector>

#include "app/desktop/content/block_document.h"

namespace ingle::desktop {

/// As large as the text. Pictures are painted on the GUI thread, in pixels of the device.
class FormulaLayer : public QQuickItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(ingle::desktop::BlockDocument* document MEMBER m_document NOTIFY changed)
    Q_PROPERTY(QColor color MEMBER m_color NOTIFY changed)
    /// So many are shown.
    Q_PROPERTY(int count READ count NOTIFY painted)
  public:
    explicit FormulaLayer(QQuickItem* parent = nullptr);

    int count() const { return static_cast<int>(m_shown.size()); }

  signals:
    void changed();
    void painted();

  protected:
    void itemChange(ItemChange change, const ItemChangeData& data) override;
    void updatePolish() override;
    QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;

  private:
    struct Shown {
        FormulaPicturePtr picture;
        QImage image;
        QRectF place;
        qreal xHeight = 0;  ///< pixels of the device
        QColor color;
    };

    QPointer<BlockDocument> m_document;
    QColor m_color;
    std::vector<Shown> m_shown;
};

}  // namespace ingle::desktop
