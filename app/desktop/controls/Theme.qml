// Every colour, distance and size of the window.
pragma Singleton
import QtQuick

QtObject {
    /// Set by Main.qml from the settings and the desktop.
    property bool dark: false
    property string fixedFontFamily: "monospace"
    /// Of all text: 1 is what the desktop asks for.
    property real textScale: 1
    /// A private chat is shown: what is written is not to be remembered, by input methods neither.
    property bool secret: false
    readonly property int inputHints: secret ? Qt.ImhSensitiveData | Qt.ImhNoPredictiveText : Qt.ImhNone
    /// Nothing moves or fades.
    property bool reducedMotion: false
    readonly property int fadeMs: reducedMotion ? 0 : 120

    // One spacing scale.
    readonly property int xs: 4
    readonly property int s: 8
    readonly property int m: 12
    readonly property int l: 16
    readonly property int xl: 24
    readonly property int xxl: 40

    readonly property int radius: 8
    readonly property int largeRadius: 14
    readonly property int controlSize: Math.round(34 * Math.max(1, textScale))
    /// What takes one finger or one line of text.
    readonly property int fieldHeight: Math.max(48, controlSize + 2 * s)
    /// A small picture.
    readonly property int tileSize: Math.round(96 * Math.max(1, Math.sqrt(textScale)))
    /// Grows with the text, for whoever reads at 720 pixels.
    readonly property int columnWidth: Math.round(720 * Math.max(1, Math.sqrt(textScale)))
    /// Below this width the sidebar becomes a drawer.
    readonly property int narrowWidth: 760

    // Text sizes in pixels, in proportion to the system font.
    readonly property real textSize: Math.round(Math.max(15, Application.font.pointSize * 1.5) * textScale)
    readonly property real smallSize: Math.round(textSize * 0.87)
    readonly property real codeSize: Math.round(textSize * 0.9)
    readonly property int lineHeight: 122 // per cent

    /// Of an icon that is so large beside text of the usual size.
    function iconSize(pixels: real): real {
        return Math.round(pixels * Math.max(1, textScale));
    }
    function headingSize(level: int): real {
        return Math.round(textSize * [1.5, 1.3, 1.15, 1.05, 1, 1][Math.min(Math.max(level, 1), 6) - 1]);
    }

    // One accent: the embers.
    readonly property color accent: dark ? "#e58a57" : "#b4501f"
    readonly property color softAccent: dark ? "#7a4a30" : "#dba483"
    readonly property color accentText: dark ? "#241208" : "#ffffff"

    readonly property color window: dark ? "#1d1b19" : "#fdfcfa"
    readonly property color sidebar: dark ? "#171513" : "#f5f2ed"
    readonly property color surface: dark ? "#312d29" : "#f1ede6"
    readonly property color popup: dark ? "#24211e" : "#ffffff"
    readonly property color hover: dark ? "#14ffffff" : "#0d2a1d10"
    readonly property color pressed: dark ? "#24ffffff" : "#1a2a1d10"
    readonly property color line: dark ? "#383430" : "#e4ded4"
    readonly property color scrim: dark ? "#a0000000" : "#50201810"

    readonly property color text: dark ? "#ece7df" : "#26221d"
    readonly property color mutedText: dark ? "#a79f93" : "#6e665b"
    readonly property color danger: dark ? "#f08a7d" : "#a8321f"
    /// What leaves this computer.
    readonly property color leaving: dark ? "#7fc3e8" : "#1a5f8f"
    readonly property color leavingSurface: dark ? "#1d2f3a" : "#e3f0f8"
    readonly property color warningSurface: dark ? "#3a2c1e" : "#fbeedd"
    /// Lies over the text.
    readonly property color mark: dark ? "#48ffc04d" : "#50ffb000"
    readonly property color selection: dark ? "#6b3d22" : "#f6d3bd"

    // Code; all are read easily on `surface`.
    readonly property color codeComment: mutedText
    readonly property color codeString: dark ? "#a9c181" : "#4a6420"
    readonly property color codeKeyword: dark ? "#e79a6b" : "#9c4016"
    readonly property color codeNumber: dark ? "#d9b76a" : "#7d5a00"
    readonly property color codeName: dark ? "#8fb9dc" : "#28598a"
    readonly property color codeType: dark ? "#c4a8dc" : "#66468f"
    readonly property color codeVariable: dark ? "#8cc4b6" : "#1f655a"
    readonly property color codeAdded: dark ? "#9dcc8a" : "#2f6b1e"
    readonly property color codeRemoved: danger
}
