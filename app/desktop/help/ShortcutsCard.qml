// What every key does.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property Actions actions

    objectName: "shortcutsCard"
    title: qsTr("Shortcuts")

    body: Flickable {
        implicitHeight: grid.implicitHeight
        contentHeight: grid.implicitHeight
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ScrollThumb {}

        ColumnLayout {
            id: grid
            width: parent.width
            spacing: Theme.s

            Repeater {
                model: card.actions.withKeys
                delegate: RowLayout {
                    required property var modelData

                    Layout.fillWidth: true
                    Accessible.role: Accessible.StaticText
                    Accessible.name: modelData.words + ": " + modelData.keys

                    Text {
                        textFormat: Text.PlainText
                        Layout.fillWidth: true
                        text: modelData.words
                        color: Theme.text
                        font.pixelSize: Theme.smallSize
                        elide: Text.ElideRight
                    }
                    Text {
                        textFormat: Text.PlainText
                        text: modelData.keys
                        color: Theme.mutedText
                        font.pixelSize: Theme.smallSize
                    }
                }
            }
        }
    }
}
