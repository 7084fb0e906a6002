// What every key does.
import QtQuick
import QtQuick.Layouts
import Inglenook

Page {
    id: page

    required property AppModel app

    function takeFocus() {
        keys.forceActiveFocus();
    }

    objectName: "shortcutsPage"
    title: qsTr("Shortcuts")

    PageColumn {
        id: keys
        focus: true
        margin: page.margin
        widest: 520
        spacing: Theme.s
        Keys.onUpPressed: contentY = Math.max(0, contentY - Theme.controlSize)
        Keys.onDownPressed: contentY = Math.max(0, Math.min(contentHeight - height, contentY + Theme.controlSize))

        Repeater {
            model: page.app.services.actions.withKeys
            delegate: RowLayout {
                required property var modelData

                Layout.fillWidth: true
                spacing: Theme.m
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
