// A modal sheet in the middle of the window with a title and a close button.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.Popup {
    id: card

    required property string title
    /// Made anew whenever the card opens.
    required property Component body

    /// Where the keyboard is must be seen.
    readonly property Item focused: visible ? contentItem.Window.activeFocusItem : null

    onFocusedChanged: {
        let place = focused;
        while (place && place !== contentItem && !(place instanceof Flickable))
            place = place.parent;
        if (!(place instanceof Flickable) || place === focused)
            return;
        const top = focused.mapToItem(place.contentItem, 0, 0).y;
        if (top < place.contentY || top + focused.height > place.contentY + place.height)
            place.contentY = Math.max(0, Math.min(top - Theme.l, place.contentHeight - place.height));
    }

    parent: T.Overlay.overlay
    x: Math.round((parent.width - width) / 2)
    y: Math.round(Math.max(Theme.l, (parent.height - height) / 3))
    width: Math.min(480, parent.width - 2 * Theme.l)
    height: Math.min(implicitHeight, parent.height - 2 * Theme.l)
    implicitHeight: implicitContentHeight + 2 * padding
    padding: Theme.xl
    modal: true
    focus: true
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside

    T.Overlay.modal: Rectangle {
        color: Theme.scrim
    }
    background: Rectangle {
        color: Theme.popup
        radius: Theme.largeRadius
    }

    contentItem: ColumnLayout {
        spacing: Theme.l

        RowLayout {
            Layout.fillWidth: true

            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: card.title
                color: Theme.text
                font.pixelSize: Theme.headingSize(2)
                font.weight: Font.DemiBold
                elide: Text.ElideRight
                Accessible.role: Accessible.Heading
                Accessible.name: text
            }
            IconButton {
                iconName: "close"
                hint: qsTr("Close")
                onClicked: card.close()
            }
        }
        Loader {
            Layout.fillWidth: true
            Layout.fillHeight: true
            active: card.visible
            sourceComponent: card.body
        }
    }
}
