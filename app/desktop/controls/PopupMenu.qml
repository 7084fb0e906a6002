// A small menu of actions.
import QtQuick
import QtQuick.Templates as T
import QtQuick.Window
import Inglenook

T.Menu {
    id: menu

    margins: Theme.s
    padding: Theme.xs
    implicitWidth: 190
    onAboutToShow: {
        let widest = 190;
        for (let i = 0; i < count; ++i)
            widest = Math.max(widest, (itemAt(i) as T.MenuItem)?.implicitWidth ?? 0);
        implicitWidth = Math.min(widest + 2 * padding, (parent?.Window.width ?? widest) - 2 * margins);
    }
    implicitHeight: contentItem.implicitHeight + 2 * padding

    delegate: PopupMenuItem {}
    contentItem: ListView {
        implicitHeight: contentHeight
        model: menu.contentModel
        interactive: false
        currentIndex: menu.currentIndex
    }
    background: Rectangle {
        color: Theme.popup
        radius: Theme.radius
        border.color: Theme.line
    }
}
