// Source code: left to right, as wide as it is, with a button that copies it.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Rectangle {
    id: block

    required property AppModel app
    required property string code
    required property string language

    implicitHeight: column.implicitHeight
    radius: Theme.radius
    color: Theme.surface
    LayoutMirroring.enabled: false
    LayoutMirroring.childrenInherit: true

    // While code streams in, only what is new is laid out.
    onCodeChanged: {
        const shown = edit.getText(0, edit.length);
        if (shown.length > 0 && code.startsWith(shown))
            edit.insert(edit.length, code.substring(shown.length));
        else
            edit.text = code;
    }
    Component.onCompleted: edit.text = code

    ColumnLayout {
        id: column
        width: parent.width
        spacing: 0

        RowLayout {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.m
            Layout.rightMargin: Theme.xs
            Layout.topMargin: Theme.xs

            Text {
                Layout.fillWidth: true
                text: block.language
                textFormat: Text.PlainText
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                elide: Text.ElideRight
            }
            IconButton {
                iconName: copied.running ? "check" : "copy"
                hint: qsTr("Copy the code")
                onClicked: {
                    block.app.portal.copy(block.code);
                    copied.restart();
                }

                Timer {
                    id: copied
                    interval: 1500
                }
            }
        }
        Flickable {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.m
            Layout.rightMargin: Theme.m
            implicitHeight: edit.implicitHeight + Theme.m
            contentWidth: edit.implicitWidth
            clip: true
            flickableDirection: Flickable.HorizontalFlick
            boundsBehavior: Flickable.StopAtBounds
            // The mouse selects text; the wheel and the bar scroll.
            interactive: false
            T.ScrollBar.horizontal: ScrollThumb {}

            TextEdit {
                id: edit
                width: Math.max(implicitWidth, parent.width)
                readOnly: true
                selectByMouse: true
                textFormat: TextEdit.PlainText
                wrapMode: TextEdit.NoWrap
                horizontalAlignment: TextEdit.AlignLeft
                color: Theme.text
                selectionColor: Theme.selection
                selectedTextColor: Theme.text
                font.family: Theme.fixedFontFamily
                font.pixelSize: Theme.codeSize
                Accessible.name: block.language.length > 0 ? qsTr("Code, %1").arg(block.language) : qsTr("Code")
            }
        }
    }
}
